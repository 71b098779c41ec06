package dev.trainyard.extender.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.gpu.GpuRoom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A check that threads without locks answer questions while nodes join and leave. */
class NodeTableReaderTest {

    /**
     * The number of names that are always present: the first names of {@link #named}. The others join and leave, {@link #COMING} at a time.
     */
    private static final int STAYING = 100;

    private static final int COMING = 200;
    private static final int NAMES = STAYING + 5 * COMING;
    private static final int ROUNDS = 3_000;

    private record Named(String name, byte[] bytes, IndexedState state) {
        static Named of(int number) {
            var name = "node-%05d".formatted(number);
            var look = new NodeProfile(null, false, GpuKind.UNKNOWN, false);
            return new Named(name, name.getBytes(US_ASCII), new IndexedState(look, number, 1, 1, 1, GpuRoom.NONE));
        }
    }

    private final List<Named> named =
            IntStream.range(0, NAMES).mapToObj(Named::of).toList();
    private final NodeTable table = new NodeTable();
    private final CountDownLatch reading = new CountDownLatch(1);
    private final AtomicBoolean written = new AtomicBoolean();

    @Test
    @Timeout(60)
    void aReaderFindsTheNodeThatItAsksForWhileOthersComeAndGo() throws Exception {
        named.subList(0, STAYING).forEach(node -> table.put(node.name(), node.state()));
        var reader = CompletableFuture.runAsync(this::read);
        try {
            assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
            for (int round = 0; round < ROUNDS; round++) {
                comeAndGo(round);
            }
        } finally {
            written.set(true);
        }
        reader.get(30, TimeUnit.SECONDS);
        assertThat(table.size()).isEqualTo(STAYING);
    }

    /**
     * Adds nodes and removes them. Consecutive rounds use different names, so that the table fills up and is rebuilt without the removed
     * nodes.
     */
    private void comeAndGo(int round) {
        int first = STAYING + COMING * (round % 5);
        var nodes = named.subList(first, first + COMING);
        nodes.stream()
                .map(node -> table.put(node.name(), node.state()))
                .toList()
                .forEach(table::remove);
    }

    private void read() {
        reading.countDown();
        for (int number = 0; !written.get(); number = (number + 1) % NAMES) {
            look(named.get(number), false);
            look(named.get(number % STAYING), true);
        }
    }

    /** Checks with plain conditions, because an assertion takes longer than the error that the test must catch. */
    private void look(Named wanted, boolean stays) {
        var found = table.find(wanted.bytes(), 0, wanted.bytes().length);
        var state = found == null ? null : found.state();
        if (stays && state == null) {
            throw new AssertionError(wanted.name() + " is always there, and was not found");
        }
        if (state != null && !state.equals(wanted.state())) {
            throw new AssertionError("asked for %s, found %s: %s".formatted(wanted.name(), found, state));
        }
    }
}
