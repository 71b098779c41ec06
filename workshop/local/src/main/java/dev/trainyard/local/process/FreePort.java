package dev.trainyard.local.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for processes that must be told one. */
public final class FreePort {

    /**
     * Below what Linux (32768) and others (49152) give to outgoing connections: the port is free now, and nothing but another server can take
     * it before the process listens. (Linux: {@code net.ipv4.ip_local_port_range} in the kernel's ip-sysctl documentation.)
     */
    private static final int LOWEST = 20_000;

    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    /**
     * A TCP port of the loopback address on which nothing listens.
     *
     * @throws UncheckedIOException when none can be found
     */
    public static int onLoopback() {
        for (int attempt = 1; ; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw new UncheckedIOException(
                            "no free port on loopback from %d to %d".formatted(LOWEST, HIGHEST), e);
                }
            }
        }
    }
}
