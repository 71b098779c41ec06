package dev.trainyard.extender.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.HttpsClient;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.URI;

/**
 * A client that posts reports to the scaler. Standby replicas of the scaler refuse reports. Each retry opens a new connection, for which
 * the Service chooses a replica again. The connection to the leader is kept. Thread-safe.
 */
public final class ScalerClient {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The number of attempts to send a report. With two replicas, 1 of 16 reports is lost while there is no connection to the leader. */
    private static final int TRIES = 4;

    private final HttpsClient client;
    private final URI url;

    /** @param scaler base URL, such as {@code https://HOST:PORT} */
    public ScalerClient(HttpsClient client, URI scaler) {
        this.client = client;
        this.url = URI.create(scaler.toString().replaceAll("/+$", "") + UnplacedPod.PATH);
    }

    /**
     * Sends a report. The future completes when the scaler has accepted the report. It fails with a one-line message that names the URL.
     */
    public Future<?> send(UnplacedPod pod) {
        try {
            return send(Buffer.buffer(JSON.writeValueAsBytes(pod)), TRIES);
        } catch (JsonProcessingException e) {
            return Future.failedFuture(e);
        }
    }

    private Future<?> send(Buffer report, int tries) {
        return client.post(url, report).compose(response -> {
            if (response.status() / 100 == 2) {
                return Future.succeededFuture();
            }
            if (response.status() == UnplacedPod.ELSEWHERE && tries > 1) {
                return send(report, tries - 1);
            }
            return Future.failedFuture(new IOException("%s answered with HTTP status %d: %s"
                    .formatted(
                            url, response.status(), response.body().toString().strip())));
        });
    }
}
