package dev.trainyard.runtime.authority;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.Lifetimes;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.certs.Verifiers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** A source of a component's certificates. */
public sealed interface TlsSource {

    /**
     * Reads the certificates, and creates missing ones.
     *
     * @param verifiers verifiers of the component's certificates; a new CA signs only after they trust it. Ignored if the source has a
     *     fixed CA
     * @throws dev.trainyard.certs.TlsException if certificates can be neither read nor created; the message is for the user
     */
    Credentials open(LeafRequest wanted, Verifiers verifiers, TlsContext context);

    /** Returns the lifetimes of certificates, and the interval between reads of the source. */
    Timing timing();

    /**
     * Certificates from the files of a directory.
     *
     * @param path directory with {@code ca.crt}, {@code ca.key}, {@code tls.crt} and {@code tls.key}: see {@link TlsDirectory}
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
     * @param name name of a Secret in Trainyard's own namespace, with a CA that replicas share; created if it is missing
     */
    record InSecret(String name, Timing timing) implements TlsSource {
        @Override
        public Credentials open(LeafRequest wanted, Verifiers verifiers, TlsContext context) {
            var client = Objects.requireNonNull(context.client(), "a Kubernetes client is needed to read a TLS Secret");
            var store = new SecretStore(client, context.namespace(), name);
            return SecretCredentials.open(store, timing, wanted, verifiers, context);
        }
    }

    /**
     * The lifetimes of certificates, and the interval between reads of the source.
     *
     * @param look interval between reads of the source; less than half of {@link Lifetimes#settling}
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
