package dev.trainyard.local;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.PemKeyPair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * All keys and certificates of one control plane, and kubeconfigs with client certificates. The files are in a directory that only this
 * user can enter. The keys of the certificate authorities are not written to files. etcd has its own authority, so that certificates for
 * the API server give no access to etcd.
 */
final class ControlPlaneCertificates {
    static final String LOOPBACK = "127.0.0.1";
    static final String SERVICE_RANGE = "10.96.0.0/16";
    /** The address of the API server's own Service: the first address of {@link #SERVICE_RANGE}. */
    private static final String API_SERVICE_ADDRESS = "10.96.0.1";
    /** The validity of certificates: longer than any control plane runs, so that no certificate needs renewal. */
    private static final Duration VALIDITY = Duration.ofDays(365);

    private final Path directory;
    private final Clock clock = Clock.systemUTC();
    private final CertificateAuthority cluster = authority("trainyard-local");
    private final CertificateAuthority store = authority("trainyard-local-etcd");
    private int kubeconfigs;

    ControlPlaneCertificates(Path directory) {
        this.directory = directory;
        write("ca.crt", cluster.certificatePem());
        pair("server", server(cluster));
        write("etcd-ca.crt", store.certificatePem());
        pair("etcd-server", server(store));
        pair("etcd-client", issue(store, LeafRequest.forClient("kube-apiserver")));
        KeyPair serviceAccounts = newKeys();
        write(
                "service-accounts.key",
                pem("PRIVATE KEY", serviceAccounts.getPrivate().getEncoded()));
        write(
                "service-accounts.pub",
                pem("PUBLIC KEY", serviceAccounts.getPublic().getEncoded()));
    }

    /** Returns the path of a file such as {@code ca.crt}, {@code server.crt} or {@code server.key}. */
    String file(String name) {
        return directory.resolve(name).toString();
    }

    /** Returns a probe that trusts only the servers of the cluster, and has no client certificate. */
    HttpProbe clusterProbe() {
        return new HttpProbe(cluster.certificatePem(), null);
    }

    /** Returns a probe that trusts only etcd, and has a client certificate for etcd. */
    HttpProbe storeProbe() {
        return new HttpProbe(store.certificatePem(), issue(store, LeafRequest.forClient("trainyard-local")));
    }

    /** Writes a kubeconfig with a new client certificate. */
    synchronized Path kubeconfig(String apiServerUrl, String user, List<String> groups) {
        PemKeyPair client =
                issue(cluster, LeafRequest.forClient(user).withOrganizations(groups.toArray(new String[0])));
        kubeconfigs++;
        String name = "%02d-%s.kubeconfig".formatted(kubeconfigs, user.replaceAll("[^A-Za-z0-9.-]+", "_"));
        return write(name, """
                apiVersion: v1
                kind: Config
                clusters:
                - name: trainyard-local
                  cluster:
                    server: %s
                    certificate-authority-data: %s
                users:
                - name: %s
                  user:
                    client-certificate-data: %s
                    client-key-data: %s
                contexts:
                - name: trainyard-local
                  context: {cluster: trainyard-local, user: %s}
                current-context: trainyard-local
                """.formatted(
                        apiServerUrl,
                        base64(cluster.certificatePem()),
                        quoted(user),
                        base64(client.certificatePem()),
                        base64(EcKeyPem.of(client)),
                        quoted(user)));
    }

    private CertificateAuthority authority(String name) {
        return CertificateAuthority.create(name, VALIDITY, clock);
    }

    private PemKeyPair issue(CertificateAuthority authority, LeafRequest request) {
        return authority.issue(request.withValidity(VALIDITY), clock.instant());
    }

    /** Issues a server certificate, which is also valid for clients, because etcd connects to itself as a peer. */
    private PemKeyPair server(CertificateAuthority authority) {
        return issue(
                authority,
                LeafRequest.forServerAndClient(LOOPBACK)
                        .withDnsNames("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
                        .withIpAddresses(LOOPBACK, API_SERVICE_ADDRESS));
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot make P-256 keys", e);
        }
    }

    private static String pem(String type, byte[] der) {
        Base64.Encoder lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
        return "-----BEGIN " + type + "-----\n" + lines.encodeToString(der) + "\n-----END " + type + "-----\n";
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void pair(String name, PemKeyPair pair) {
        write(name + ".crt", pair.certificatePem());
        write(name + ".key", pair.keyPem());
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
