package dev.trainyard.workshop.cluster;

import dev.trainyard.local.process.SupervisedProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;

/** A check that waits until a component is ready. */
final class ComponentReadiness {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

    /** The number of log lines in the message about a failed component. */
    private static final int LINES = 10;

    private ComponentReadiness() {}

    /**
     * Waits until the component is ready.
     *
     * @throws TestClusterException if the process ends, or is not ready in time
     */
    static void await(ComponentLaunch launch, SupervisedProcess process, Duration within) {
        var deadline = Instant.now().plus(within);
        var answer = "no answer";
        try {
            while (Instant.now().isBefore(deadline)) {
                if (!process.isAlive()) {
                    throw failure(launch, process, "ended before it was ready");
                }
                answer = ask(launch);
                if (answer.isEmpty()) {
                    return;
                }
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw failure(launch, process, "was not ready within %ds; /readyz: %s".formatted(within.toSeconds(), answer));
    }

    /** Returns why the component is not ready; empty if it is ready. */
    private static String ask(ComponentLaunch launch) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(URI.create(launch.operationsUrl() + "/readyz"))
                    .timeout(Duration.ofSeconds(2))
                    .build();
            var response = HTTP.send(request, BodyHandlers.ofString());
            return response.statusCode() == 200 ? "" : response.body().strip();
        } catch (IOException e) {
            return "no answer";
        }
    }

    private static TestClusterException failure(ComponentLaunch launch, SupervisedProcess process, String what) {
        return new TestClusterException("the %s %s. The end of its log:%n%s%nAll of it: %s"
                .formatted(
                        launch.part().command(),
                        what,
                        String.join(System.lineSeparator(), process.log().lines(LINES)),
                        launch.logFile()));
    }
}
