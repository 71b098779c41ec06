package dev.trainyard.emulator;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An emulated cloud on loopback, which the SDK in the scaler uses like the real cloud. Machines are only entries in a list, from which a
 * test cluster can create nodes. Thread-safe.
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
     * Sets how many machines of a group the cloud can provide, including existing ones.
     *
     * @throws IllegalArgumentException if the group does not exist
     */
    void stock(String group, int machines);

    @Override
    void close();
}
