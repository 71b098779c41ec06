package dev.trainyard.emulator;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A cloud on loopback that a scaler's SDK takes for the real one. Its machines are entries in a list: whoever has a Kubernetes cluster beside
 * it makes nodes of them. Thread-safe.
 */
public interface CloudEmulator extends AutoCloseable {

    /** Where its API is, over TLS. */
    URI url();

    /** Who vouches for it, in PEM. */
    String authorityPem();

    /**
     * Variables for the environment of a process whose SDK is to end up here.
     *
     * @param authority a file with {@link #authorityPem}
     */
    Map<String, String> environment(Path authority);

    /** The machines that have booted and are not gone, also those on their way out, in the order in which they were made. */
    List<EmulatedMachine> machines();

    /**
     * How many machines of a group there are to be had from now on, those that it has included.
     *
     * @throws IllegalArgumentException when there is no such group
     */
    void stock(String group, int machines);

    @Override
    void close();
}
