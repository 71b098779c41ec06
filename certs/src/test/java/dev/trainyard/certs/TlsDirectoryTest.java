package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.asn1.ASN1Object;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsDirectoryTest {
    private static final Instant NOW = Instant.parse("2026-11-20T09:42:01Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final LeafRequest WANTED =
            LeafRequest.forServer("webhook").withDnsNames("localhost").withIpAddresses("127.0.0.1");

    @TempDir
    Path temporary;

    @Test
    void anEmptyDirectoryGetsACaAndALeafThatFitTogether() throws Exception {
        Path directory = temporary.resolve("not/there/yet");

        TlsMaterial tls = open(directory).current();

        assertThat(whyUntrusted(tls, NOW)).isNull();
        assertThat(tls.notAfter()).isEqualTo(NOW.plus(WANTED.validity()));
        assertThat(permissions(directory.resolve("ca.key"))).isEqualTo("rw-------");
        assertThat(permissions(directory.resolve("tls.key"))).isEqualTo("rw-------");
        assertThat(permissions(directory.resolve("tls.crt"))).isEqualTo("rw-r--r--");
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("ca.crt", "ca.key", "tls.crt", "tls.key", ".lock");
        }
    }

    @Test
    void aSecondOpeningFindsTheSame() {
        assertThat(open(temporary).current()).isEqualTo(open(temporary).current());
    }

    @Test
    void manyThatOpenAnEmptyDirectoryAtOnceShareOneCa() throws Exception {
        int openers = 8;
        CyclicBarrier start = new CyclicBarrier(openers);
        ExecutorService threads = Executors.newFixedThreadPool(openers);
        try {
            List<Future<String>> cas = new ArrayList<>();
            for (int i = 0; i < openers; i++) {
                cas.add(threads.submit(() -> {
                    start.await(10, TimeUnit.SECONDS);
                    return open(temporary).caPem();
                }));
            }
            Set<String> distinct = new HashSet<>();
            for (Future<String> ca : cas) {
                distinct.add(ca.get(30, TimeUnit.SECONDS));
            }
            assertThat(distinct).hasSize(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void twoProcessesThatOpenAnEmptyDirectoryAtOnceShareOneCa() throws Exception {
        List<Process> processes = List.of(otherProcess(), otherProcess(), otherProcess());
        Set<String> cas = new HashSet<>();
        for (Process process : processes) {
            cas.add(new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII));
            assertThat(process.waitFor()).isZero();
        }
        assertThat(cas).hasSize(1);
        assertThat(cas.iterator().next()).isEqualTo(open(temporary).caPem());
    }

    /** The program of the other process. It prints the CA that it found or created. */
    public static final class Opener {
        public static void main(String[] arguments) {
            System.out.print(open(Path.of(arguments[0])).caPem());
        }
    }

    private Process otherProcess() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Opener.class.getName(),
                        temporary.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Test
    void aCaWhoseMakerWasKilledHalfWayIsFinished() throws Exception {
        String ca = open(temporary).caPem();
        Files.move(temporary.resolve("ca.crt"), temporary.resolve(".ca.crt.new"));
        Files.delete(temporary.resolve("tls.crt"));

        assertThat(open(temporary).caPem()).isEqualTo(ca);
    }

    @Test
    void aLeafIsRenewedAfterTwoThirdsOfItsLifeByTheSameCa() {
        TlsDirectory directory = open(temporary);
        TlsMaterial first = directory.current();

        assertThat(directory.refresh(NOW.plus(Duration.ofDays(59)))).isFalse();
        assertThat(directory.current()).isSameAs(first);
        assertThat(directory.refresh(NOW.plus(Duration.ofDays(61)))).isTrue();

        assertThat(directory.caPem()).isEqualTo(first.caPem());
        assertThat(directory.notAfter()).isEqualTo(NOW.plus(Duration.ofDays(61 + 90)));
        assertThat(whyUntrusted(directory.current(), NOW.plus(Duration.ofDays(61))))
                .isNull();
    }

    @Test
    void aLeafThatEndsWithItsCaIsNotRenewedOverAndOver() throws Exception {
        writeCa(CertificateAuthority.create("short", Duration.ofDays(30), CLOCK));
        TlsDirectory directory = open(temporary);

        assertThat(directory.refresh(NOW.plus(Duration.ofDays(29)))).isFalse();
    }

    @Test
    void anExpiredCaIsReportedWithWhatToDo() {
        TlsDirectory directory = open(temporary);
        Instant late = NOW.plus(Duration.ofDays(3650));

        assertThatThrownBy(() -> directory.refresh(late))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining(temporary.resolve("ca.crt") + " expired at 2036-11-17T09:42:01Z")
                .hasMessageContaining("replace ca.crt and ca.key");
    }

    @Test
    void aLeafThatLacksANameIsReplaced() {
        TlsMaterial first = open(temporary).current();

        TlsMaterial second = TlsDirectory.open(temporary, WANTED.withDnsNames("localhost", "more.example"), CLOCK)
                .current();

        assertThat(second.caPem()).isEqualTo(first.caPem());
        assertThat(second.certificatePem()).isNotEqualTo(first.certificatePem());
    }

    @Test
    void aLeafForAnotherUseOrAnotherSubjectIsReplaced() {
        String first = open(temporary).certificatePem();
        LeafRequest both = LeafRequest.forServerAndClient("webhook")
                .withDnsNames("localhost")
                .withIpAddresses("127.0.0.1");

        String second = TlsDirectory.open(temporary, both, CLOCK).certificatePem();
        String third =
                TlsDirectory.open(temporary, both.withOrganizations("o"), CLOCK).certificatePem();

        assertThat(Set.of(first, second, third)).hasSize(3);
    }

    @Test
    void aReplacedCaSignsANewLeaf() throws Exception {
        TlsDirectory directory = open(temporary);
        writeCa(CertificateAuthority.create("new", Duration.ofDays(30), CLOCK));

        assertThat(directory.refresh(NOW)).isTrue();
        assertThat(whyUntrusted(directory.current(), NOW)).isNull();
    }

    @Test
    void aBrokenLeafBesideTheCaIsReplaced() throws Exception {
        open(temporary);
        Files.writeString(temporary.resolve("tls.crt"), "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");

        assertThat(whyUntrusted(open(temporary).current(), NOW)).isNull();
    }

    @Test
    void givenFilesAreUsedAsTheyAreAndNothingIsWritten() throws Exception {
        PemKeyPair given = giveLeaf(LeafRequest.forServer("mine").withDnsNames("elsewhere"));

        TlsMaterial tls = open(temporary).current();

        assertThat(tls.certificatePem()).isEqualTo(given.certificatePem());
        assertThat(tls.keyPem()).isEqualTo(given.keyPem());
        try (var files = Files.list(temporary)) {
            assertThat(files).hasSize(3);
        }
    }

    @Test
    void keysInTheOlderFormatsOfOpensslAreUnderstood() throws Exception {
        for (String algorithm : List.of("EC", "RSA")) {
            CertificateAuthority ca = CertificateAuthority.create("given-ca", Duration.ofDays(365), CLOCK);
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(algorithm.equals("EC") ? 256 : 2048);
            KeyPair keys = generator.generateKeyPair();
            Files.writeString(temporary.resolve("ca.crt"), ca.certificatePem());
            Files.writeString(temporary.resolve("tls.crt"), ca.certificatePem());
            Files.writeString(temporary.resolve("tls.key"), olderFormat(keys));

            assertOpeningFails(NOW, "tls.key does not belong to"); // so the key was parsed
        }
    }

    @Test
    void anEncryptedKeyIsNamed() throws Exception {
        giveLeaf(WANTED);
        Files.writeString(
                temporary.resolve("tls.key"),
                "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n"
                        + "-----END EC PRIVATE KEY-----\n");

        assertOpeningFails(NOW, "tls.key is encrypted with a password", "decrypt it with openssl");
    }

    @Test
    void aDirectoryThatCannotBeWrittenKeepsTheLeafInMemory() throws Exception {
        CertificateAuthority ca = CertificateAuthority.create("mounted", Duration.ofDays(365), CLOCK);
        writeCa(ca);
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assumeFalse(Files.isWritable(temporary), "this user may write everywhere");
            TlsDirectory directory = open(temporary);
            String first = directory.certificatePem();

            assertThat(whyUntrusted(directory.current(), NOW)).isNull();
            assertThat(directory.refresh(NOW)).isFalse();
            assertThat(directory.refresh(NOW.plus(Duration.ofDays(61)))).isTrue();
            assertThat(directory.certificatePem()).isNotEqualTo(first);
            try (var files = Files.list(temporary)) {
                assertThat(files).hasSize(2);
            }
        } finally {
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void replacedGivenFilesAreNoticed() throws Exception {
        giveLeaf(WANTED);
        TlsDirectory directory = open(temporary);
        assertThat(directory.refresh(NOW)).isFalse();

        PemKeyPair next = giveLeaf(WANTED);

        assertThat(directory.refresh(NOW)).isTrue();
        assertThat(directory.certificatePem()).isEqualTo(next.certificatePem());
    }

    @Test
    void aFailedRefreshKeepsWhatWasGood() throws Exception {
        giveLeaf(WANTED);
        TlsDirectory directory = open(temporary);
        TlsMaterial good = directory.current();
        Files.writeString(temporary.resolve("tls.crt"), "oops");

        assertThatThrownBy(() -> directory.refresh(NOW)).isInstanceOf(TlsException.class);
        assertThat(directory.current()).isSameAs(good);
    }

    @Test
    void everyDefectOfGivenFilesIsNamed() throws Exception {
        giveLeaf(WANTED);
        String certificate = Files.readString(temporary.resolve("tls.crt"));
        String key = Files.readString(temporary.resolve("tls.key"));

        assertOpeningFails(NOW.plus(Duration.ofDays(90)), "tls.crt expired at 2027-02-18T09:42:01Z", "replace tls.crt");
        assertOpeningFails(NOW.minus(Duration.ofDays(1)), "tls.crt is not valid before", "check the clock");

        Files.writeString(temporary.resolve("tls.key"), "hello");
        assertOpeningFails(NOW, "tls.key holds no private key", "-----BEGIN PRIVATE KEY-----");
        Files.writeString(temporary.resolve("tls.key"), strangerIssue().keyPem());
        assertOpeningFails(NOW, "tls.key does not belong to", "same pair");
        Files.writeString(temporary.resolve("tls.key"), key);

        Files.writeString(temporary.resolve("tls.crt"), "hello");
        assertOpeningFails(NOW, "tls.crt holds no certificate", "-----BEGIN CERTIFICATE-----");
        Files.writeString(temporary.resolve("tls.crt"), certificate.substring(0, 200));
        assertOpeningFails(NOW, "tls.crt is not readable as PEM", "to be whole");
        PemKeyPair stranger = strangerIssue();
        Files.writeString(temporary.resolve("tls.crt"), stranger.certificatePem());
        Files.writeString(temporary.resolve("tls.key"), stranger.keyPem());
        assertOpeningFails(NOW, "tls.crt is not signed by", "put the certificate of the CA");

        Files.delete(temporary.resolve("tls.key"));
        assertOpeningFails(NOW, "tls.key is missing", "expected ca.crt, tls.crt and tls.key");
        Files.delete(temporary.resolve("ca.crt"));
        assertOpeningFails(NOW, "ca.crt is missing", "or an empty directory");
    }

    @Test
    void aCaKeyWithoutItsCertificateIsNamed() throws Exception {
        open(temporary);
        Files.delete(temporary.resolve("ca.crt"));

        assertOpeningFails(NOW, "ca.crt is missing, but ca.key is there", "put the CA's certificate beside its key");
    }

    @Test
    void aFileInTheWayOfTheDirectoryIsNamed() throws Exception {
        Path file = Files.writeString(temporary.resolve("file"), "");

        assertThatThrownBy(() -> open(file))
                .isInstanceOf(TlsException.class)
                .hasMessage("the TLS directory " + file + " is a file; name a directory");
    }

    private void assertOpeningFails(Instant now, String... parts) {
        assertThatThrownBy(() -> TlsDirectory.open(temporary, WANTED, Clock.fixed(now, ZoneOffset.UTC)))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining(temporary.toString())
                .hasMessageContainingAll(parts);
    }

    private PemKeyPair giveLeaf(LeafRequest request) throws IOException {
        CertificateAuthority ca = CertificateAuthority.create("given-ca", Duration.ofDays(365), CLOCK);
        PemKeyPair leaf = ca.issue(request, NOW);
        Files.writeString(temporary.resolve("ca.crt"), ca.certificatePem());
        Files.writeString(temporary.resolve("tls.crt"), leaf.certificatePem());
        Files.writeString(temporary.resolve("tls.key"), leaf.keyPem());
        return leaf;
    }

    /** Returns the key in the format of {@code openssl ecparam -genkey} or {@code openssl genrsa -traditional}. */
    private static String olderFormat(KeyPair keys) throws IOException {
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            if (keys.getPrivate() instanceof ECPrivateKey key) {
                ASN1Object curve = ASN1ObjectIdentifier.getInstance(
                        info.getPrivateKeyAlgorithm().getParameters());
                byte[] older = new org.bouncycastle.asn1.sec.ECPrivateKey(256, key.getS(), curve).getEncoded();
                writer.writeObject(new PemObject("EC PARAMETERS", curve.getEncoded()));
                writer.writeObject(new PemObject("EC PRIVATE KEY", older));
            } else {
                byte[] older = info.parsePrivateKey().toASN1Primitive().getEncoded();
                writer.writeObject(new PemObject("RSA PRIVATE KEY", older));
            }
        }
        return text.toString();
    }

    private void writeCa(CertificateAuthority ca) throws IOException {
        Files.writeString(temporary.resolve("ca.crt"), ca.certificatePem());
        Files.writeString(temporary.resolve("ca.key"), ca.pem().keyPem());
    }

    private static PemKeyPair strangerIssue() {
        return CertificateAuthority.create("stranger", Duration.ofDays(365), CLOCK)
                .issue(WANTED, NOW);
    }

    private static TlsDirectory open(Path directory) {
        return TlsDirectory.open(directory, WANTED, CLOCK);
    }

    private static @org.jspecify.annotations.Nullable String whyUntrusted(TlsMaterial tls, Instant now) {
        List<X509Certificate> trusted = Pem.certificates(tls.caPem(), "ca");
        return Chains.whyUntrusted(Pem.certificates(tls.certificatePem(), "leaf"), trusted, now);
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    /** Tests a mounted Secret of cert-manager, which is read-only and whose links are replaced atomically. */
    @Test
    void aSecretAsCertManagerWritesItIsUsedAndItsReplacementTakenUp() throws Exception {
        CertificateAuthority first = CertificateAuthority.create("issuer", Duration.ofDays(90), CLOCK);
        mount("..2026_1", first, NOW);
        TlsDirectory tls = TlsDirectory.open(temporary.resolve("mounted"), WANTED, CLOCK);
        assertThat(whyUntrusted(tls.current(), NOW)).isNull();
        assertThat(tls.caPem()).isEqualTo(first.certificatePem());
        String before = tls.certificatePem();

        mount("..2026_2", first, NOW.plusSeconds(60));
        assertThat(tls.refresh(NOW.plusSeconds(120))).isTrue();

        assertThat(tls.certificatePem()).isNotEqualTo(before);
        try (var files = Files.list(temporary.resolve("mounted"))) {
            assertThat(files.map(file -> file.getFileName().toString())).doesNotContain("ca.key", ".lock");
        }
    }

    /** Mounts a Secret as the kubelet does: files are links into {@code ..data}, which is a link to a directory with all files. */
    private void mount(String version, CertificateAuthority issuer, Instant now) throws IOException {
        Path mounted = Files.createDirectories(temporary.resolve("mounted"));
        Path data = Files.createDirectory(mounted.resolve(version));
        PemKeyPair leaf = issuer.issue(WANTED, now);
        Files.writeString(data.resolve("ca.crt"), issuer.certificatePem() + "\n");
        Files.writeString(data.resolve("tls.crt"), leaf.certificatePem());
        Files.writeString(data.resolve("tls.key"), leaf.keyPem());
        Path next = Files.createSymbolicLink(mounted.resolve("..data_tmp"), Path.of(version));
        Files.move(
                next, mounted.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (String name : List.of("ca.crt", "tls.crt", "tls.key")) {
            if (!Files.exists(mounted.resolve(name))) {
                Files.createSymbolicLink(mounted.resolve(name), Path.of("..data", name));
            }
        }
    }

    @Test
    void aCertificateOfAnotherDirectorysCaIsMadeWithoutItsKey() throws Exception {
        Path authority = temporary.resolve("authority");
        TlsDirectory.open(authority, WANTED, CLOCK);
        Path directory = temporary.resolve("other");

        TlsDirectory.issue(authority, directory, WANTED, CLOCK);

        assertThat(directory.resolve("ca.key")).doesNotExist();
        assertThat(TlsDirectory.problems(directory, WANTED, NOW)).isEmpty();
        assertThat(TlsDirectory.open(directory, WANTED, CLOCK).caPem())
                .isEqualTo(Files.readString(authority.resolve("ca.crt")));
    }

    @Test
    void whatIsWrongWithADirectoryIsSaid() throws Exception {
        TlsDirectory.open(temporary, WANTED, CLOCK);
        LeafRequest other =
                LeafRequest.forServer("any").withDnsNames("elsewhere").withIpAddresses("10.0.0.1");

        assertThat(TlsDirectory.problems(temporary, WANTED, NOW)).isEmpty();
        assertThat(TlsDirectory.problems(temporary, other, NOW))
                .hasSize(2)
                .allMatch(
                        problem -> problem.contains("is not for elsewhere") || problem.contains("is not for 10.0.0.1"));
        assertThat(TlsDirectory.problems(temporary, WANTED, NOW.plus(Duration.ofDays(91))))
                .singleElement()
                .asString()
                .contains("tls.crt expired at 2027-02-18T09:42:01Z");
        assertThat(TlsDirectory.problems(temporary, WANTED, NOW.minus(Duration.ofDays(1))))
                .isNotEmpty()
                .allMatch(problem -> problem.contains("is not valid before"));

        Path strange = temporary.resolve("strange");
        TlsDirectory.open(strange, WANTED, CLOCK);
        Files.delete(temporary.resolve("ca.key"));
        Files.copy(strange.resolve("ca.crt"), temporary.resolve("ca.crt"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(TlsDirectory.problems(temporary, WANTED, NOW))
                .singleElement()
                .asString()
                .contains("is not signed by");
        Files.copy(strange.resolve("tls.key"), temporary.resolve("tls.key"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(TlsDirectory.problems(temporary, WANTED, NOW))
                .singleElement()
                .asString()
                .contains("does not belong to");
    }
}
