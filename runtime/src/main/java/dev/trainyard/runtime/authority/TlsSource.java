package dev.trainyard.runtime.authority;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.Lifetimes;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.certs.Verifiers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** Where a component has its certificates from. */
public sealed interface TlsSource {

    /**
     * Reads what is there, and makes what is missing.
     *
     * @param verifiers a CA that they do not trust yet is not made to sign; does not matter where we do not decide that
     * @throws dev.trainyard.certs.TlsException when there are no certificates to be had; the message is for the user
     */
    Credentials open(LeafRequest wanted, Verifiers verifiers, TlsContext context);

    /** What is looked at when. */
    Timing timing();

    /**
     * Certificates from the files of a directory.
     *
     * @param path with {@code ca.crt}, {@code ca.key}, {@code tls.crt}, {@code tls.key}: see {@link TlsDirectory}
     */
    record InDirectory(Path path) implements TlsSource {
        @Override
        public Credentials open(LeafRequest wanted, Verifiers verifiers, TlsContext context) {
            return TlsDirectory.open(path, wanted, context.clock());
        }

        @Override
        public Timing timing() {
            return Timing.USUAL;
        }
    }

    /**
     * Certificates from a Secret.
     *
     * @param name of a Secret in Trainyard's own namespace, with a CA that replicas share; made when there is none
     */
    record InSecret(String name, Timing timing) implements TlsSource {
        @Override
        public Credentials open(LeafRequest wanted, Verifiers verifiers, TlsContext context) {
            var client = Objects.requireNonNull(context.client(), "a Secret needs a cluster");
            var store = new SecretStore(client, context.namespace(), name);
            return SecretCredentials.open(store, timing, wanted, verifiers, context);
        }
    }

    /**
     * Lifetimes of certificates, and how often to look for new ones.
     *
     * @param look how often to look for what is new; less than half of {@link Lifetimes#settling}
     */
    record Timing(Lifetimes lifetimes, Duration look) {
        public static final Timing USUAL = new Timing(Lifetimes.USUAL, Duration.ofSeconds(10));
    }

    static TlsSource directory(Path path) {
        return new InDirectory(path);
    }

    static TlsSource secret(String name) {
        return new InSecret(name, Timing.USUAL);
    }
}
