package dev.trainyard.runtime.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EventRecorderTest {

    /** The API server rejects an Event that is too long. Without the truncation, a pod's author could suppress all Events about the pod. */
    @Test
    void aNoteIsCutByBytesAndBetweenCharacters() {
        assertThat(EventRecorder.shortened("waits", 1000)).isEqualTo("waits");
        assertThat(EventRecorder.shortened("x".repeat(2000), 1000)).isEqualTo("x".repeat(1000));
        assertThat(EventRecorder.shortened("\u00e9".repeat(1000), 1000)).isEqualTo("\u00e9".repeat(500));
        assertThat(EventRecorder.shortened("x" + "\ud83d\ude82".repeat(500), 1000)
                        .getBytes(UTF_8))
                .hasSize(997);
    }
}
