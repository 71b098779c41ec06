package dev.trainyard.e2e;

import dev.trainyard.extender.ExtenderComponent;
import dev.trainyard.extender.ExtenderOptions;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.runtime.server.ListenAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** An extender that can be stopped and started on the same port. */
final class RunningExtender {

    private ExtenderOptions options;
    private ExtenderComponent component;

    private RunningExtender(ExtenderOptions options, ExtenderComponent component) {
        this.options = options;
        this.component = component;
    }

    /** Starts an extender and returns when it is ready. */
    static RunningExtender start(ExtenderOptions options) {
        var component = started(options);
        return new RunningExtender(
                options.withListen(new ListenAddress(options.listen().host(), component.port())), component);
    }

    int port() {
        return component.port();
    }

    /** Returns the directory of the extender's certificates. */
    Path tls() {
        return ((TlsSource.InDirectory) options.tls()).path();
    }

    void stop() {
        component.close();
    }

    /** Starts the extender after a stop, and returns when it is ready. */
    void startAgain() {
        component = started(options);
    }

    void restart(UnaryOperator<ExtenderOptions> changes) {
        stop();
        options = changes.apply(options);
        startAgain();
    }

    /** Returns the value of a metric, such as {@code trainyard_extender_index_nodes}; 0 if it does not exist. */
    double metric(String name) {
        var url = URI.create("http://127.0.0.1:%d/metrics"
                .formatted(component.operationsPort().orElseThrow()));
        try {
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("the extender's metrics cannot be read", e);
        }
    }

    private static ExtenderComponent started(ExtenderOptions options) {
        var component = ExtenderComponent.start(options);
        component.ready().orTimeout(60, TimeUnit.SECONDS).join();
        return component;
    }
}
