package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.StatusWatch.Place;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StatusWatchTest {

    @Test
    void onATerminalTheNextStatusIsDrawnOverTheLast() throws InterruptedException {
        assertThat(watched(Place.SAME, "long line\nsecond\n", "short\n"))
                .isEqualTo("\033[H\033[J\033[Hlong line\033[K\nsecond\033[K\n\033[J\033[Hshort\033[K\n\033[J");
    }

    @Test
    void elsewhereItFollowsTheLastWithoutCommandsForTerminals() throws InterruptedException {
        assertThat(watched(Place.NEXT, "{\"a\":1}\n", "{\"a\":2}\n")).isEqualTo("{\"a\":1}\n{\"a\":2}\n");
    }

    @Test
    void aClusterThatCannotBeReadIsAskedAgain() throws InterruptedException {
        assertThat(watched(Place.NEXT, "", "fine\n"))
                .startsWith("The cluster cannot be read, trying again: connection refused")
                .endsWith("fine\n");
    }

    @Test
    void endsWhenNobodyReads() throws InterruptedException {
        var pauses = new AtomicInteger();
        var closedPipe = new PrintWriter(new Writer() {
            @Override
            public void write(char[] text, int from, int length) throws IOException {
                throw new IOException("Broken pipe");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        new StatusWatch(() -> "text\n", closedPipe, Place.NEXT).run(() -> pauses.incrementAndGet() < 5);
        assertThat(pauses).hasValue(0);
    }

    /** @param statuses the statuses; an empty one stands for a cluster that does not answer */
    private static String watched(Place place, String... statuses) throws InterruptedException {
        var left = new ArrayDeque<>(List.of(statuses));
        var written = new StringWriter();
        new StatusWatch(
                        () -> {
                            var next = left.remove();
                            if (next.isEmpty()) {
                                throw new KubernetesClientException("connection refused");
                            }
                            return next;
                        },
                        new PrintWriter(written),
                        place)
                .run(() -> !left.isEmpty());
        return written.toString();
    }
}
