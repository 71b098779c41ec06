package dev.trainyard.local.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A finder of free ports for processes that cannot choose one themselves. */
public final class FreePort {

    /**
     * The lowest port. All ports of this range are below the ephemeral ports of Linux (from 32768) and other systems (from 49152).
     * Therefore only another server can occupy a free port before the process listens; an outgoing connection cannot. (Linux:
     * {@code net.ipv4.ip_local_port_range} in the kernel's ip-sysctl documentation.)
     */
    private static final int LOWEST = 20_000;

    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    /**
     * Returns a TCP port of the loopback address on which no process listens.
     *
     * @throws UncheckedIOException if no free port is found
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
