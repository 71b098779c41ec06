package dev.trainyard.emulator;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A cloud on loopback that a scaler's SDK uses like the real one. Its machines are entries in a list: a test cluster can create nodes from
 * them. Thread-safe.
 */
public interface CloudEmulator extends AutoCloseable {

    /** Returns the URL of the API, which uses TLS. */
    URI url();

    /** Returns the certificate of the authority that signed the server's certificate, in PEM. */
    String authorityPem();

    /**
     * Returns environment variables that make a process's SDK use this emulator.
     *
     * @param authority a file with {@link #authorityPem}
     */
    Map<String, String> environment(Path authority);

    /** Returns the machines that have booted and still exist, including those being deleted, in the order of their creation. */
    List<EmulatedMachine> machines();

    /**
     * Sets the largest number of machines of a group, including existing ones.
     *
     * @throws IllegalArgumentException if the group does not exist
     */
    void stock(String group, int machines);

    @Override
    void close();
}
