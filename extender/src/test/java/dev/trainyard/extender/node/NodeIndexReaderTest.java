package dev.trainyard.extender.node;

import static dev.trainyard.extender.Cluster.node;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Questions are answered while nodes come and go. */
class NodeIndexReaderTest {

    private static final int NODES = 300;
    private static final int ROUNDS = 60;

    /** Each of these is always there; all others come and go. */
    private static final int STAYS = 10;

    private final NodeIndex index = new NodeIndex();
    private final CountDownLatch reading = new CountDownLatch(1);
    private final AtomicBoolean written = new AtomicBoolean();

    @Test
    @Timeout(60)
    void aReaderFindsTheNodeThatItAsksForWhileOthersComeAndGo() throws Exception {
        for (int number = 0; number < NODES; number += STAYS) {
            put(number);
        }
        var reader = CompletableFuture.runAsync(this::read);
        try {
            assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
            for (int round = 0; round < ROUNDS; round++) {
                replaceAll(round);
            }
        } finally {
            written.set(true);
        }
        reader.get(30, TimeUnit.SECONDS);
    }

    /** Numbers of their own in each round: the table is made anew without those that have gone. */
    private void replaceAll(int round) {
        for (int i = 0; i < NODES; i++) {
            int number = NODES * round + i;
            if (!stays(number)) {
                put(number);
            }
        }
        for (int i = 0; i < NODES; i++) {
            int number = NODES * round + i;
            if (!stays(number)) {
                index.remove(node(name(number), 0, 0));
            }
        }
    }

    private void read() {
        do {
            for (int number = 0; number < NODES * ROUNDS && !written.get(); number += number < NODES ? 1 : 7) {
                look(number);
                if (number == NODES) {
                    reading.countDown();
                }
            }
        } while (!written.get());
    }

    private void look(int number) {
        var name = name(number);
        var question = ("[\"" + name + "\"]").getBytes(US_ASCII);
        var found = index.node(question, 2, 2 + name.length(), name.hashCode());
        var state = found.state();

        assertThat(found.name()).isEqualTo(name);
        if (stays(number)) {
            assertThat(state).as("state of %s, which stays", name).isNotNull();
        }
        if (state != null) {
            assertThat(state.cpu()).as("CPUs of %s", name).isEqualTo(1000L * number);
        }
    }

    private void put(int number) {
        index.put(node(name(number), number, 0)); // the number of CPUs tells whose state it is
    }

    private static boolean stays(int number) {
        return number < NODES && number % STAYS == 0;
    }

    private static String name(int number) {
        return "node-%05d".formatted(number);
    }
}
