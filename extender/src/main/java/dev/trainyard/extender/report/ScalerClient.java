package dev.trainyard.extender.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.HttpsClient;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;

/** Posts reports to the scaler. Thread-safe. */
public final class ScalerClient {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpsClient client;
    private final URI url;

    /** @param scaler such as {@code https://HOST:PORT} */
    public ScalerClient(HttpsClient client, URI scaler) {
        this.client = client;
        this.url = URI.create(scaler.toString().replaceAll("/+$", "") + UnplacedPod.PATH);
    }

    /** Completes when the scaler has taken the report; fails with one line that names the URL. */
    public Future<?> send(UnplacedPod pod) {
        try {
            return client.post(url, Buffer.buffer(JSON.writeValueAsBytes(pod)))
                    .compose(response -> response.status() / 100 == 2
                            ? Future.succeededFuture()
                            : Future.failedFuture(new IOException("%s answered status %d: %s"
                                    .formatted(
                                            url,
                                            response.status(),
                                            response.body().toString().strip()))));
        } catch (JsonProcessingException e) {
            return Future.failedFuture(e);
        }
    }
}
