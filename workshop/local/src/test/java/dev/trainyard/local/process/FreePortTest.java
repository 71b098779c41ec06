package dev.trainyard.local.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class FreePortTest {

    @Test
    void nothingListensOnItAndNoOutgoingConnectionWillHaveIt() throws Exception {
        var seen = new HashSet<Integer>();
        for (int time = 0; time < 20; time++) {
            int port = FreePort.onLoopback();
            assertThat(port).isLessThan(32_768);
            try (var listening = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(listening.isBound()).isTrue();
            }
            seen.add(port);
        }
        assertThat(seen).hasSizeGreaterThan(10);
    }
}
