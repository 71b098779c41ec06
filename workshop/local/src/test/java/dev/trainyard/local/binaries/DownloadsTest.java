package dev.trainyard.local.binaries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.local.binaries.ReleaseFiles.ReleaseFile;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DownloadsTest {
    private static final KubernetesVersion VERSION = KubernetesVersion.CURRENT;
    private static final Platform LINUX = new Platform("linux", "amd64");
    private static final Fetch PATIENT = new Fetch(Duration.ofSeconds(20), Duration.ofSeconds(20));
    private static final Fetch IMPATIENT = new Fetch(Duration.ofSeconds(2), Duration.ofMillis(500));

    @TempDir
    Path directory;

    @TempDir
    Path archives;

    private Mirror mirror;

    @BeforeEach
    void fillMirror() throws Exception {
        mirror = new Mirror();
        for (Binary binary : Binary.values()) {
            ReleaseFile file = file(binary);
            byte[] content = ("program " + binary.fileName()).getBytes(StandardCharsets.UTF_8);
            mirror.publish(
                    file,
                    file.inArchive().isPresent() ? archive(file.inArchive().get(), content) : content);
        }
    }

    @AfterEach
    void closeMirror() {
        mirror.close();
    }

    @Test
    void getsAllFromAMirrorReadyToRun() throws Exception {
        assertThat(downloads().supply(VERSION, all(), directory)).isEmpty();

        assertThat(ControlPlaneBinaries.missingIn(directory)).isEmpty();
        assertThat(directory.resolve("etcd")).hasContent("program etcd");
        assertThat(directory.resolve("kwok")).hasContent("program kwok");
        assertThat(filesIn(directory)).isEqualTo(Binary.values().length);
    }

    @Test
    void throwsAwayAFileThatIsNotWhatWasPublished() throws Exception {
        ReleaseFile kubectl = file(Binary.KUBECTL);
        mirror.put(kubectl.file(), "something else".getBytes(StandardCharsets.UTF_8));

        Optional<String> whyNot = downloads().supply(VERSION, all(), directory);

        assertThat(whyNot.orElseThrow())
                .contains("/bin/linux/amd64/kubectl has the SHA-256 ", "the download was deleted");
        assertThat(ControlPlaneBinaries.missingIn(directory)).containsExactly(Binary.KUBECTL);
        assertThat(filesIn(directory)).isEqualTo(Binary.values().length - 1);
    }

    @Test
    void takesNoFileWithoutAPublishedSum() throws Exception {
        mirror.put(file(Binary.KWOK).checksums(), "{\"assets\": []}".getBytes(StandardCharsets.UTF_8));
        mirror.remove(file(Binary.KUBECTL).checksums());

        Optional<String> whyNot = downloads().supply(VERSION, all(), directory);

        assertThat(whyNot.orElseThrow())
                .contains("has no SHA-256 of kwok-linux-amd64")
                .contains("kubectl.sha256 answered 404");
        assertThat(ControlPlaneBinaries.missingIn(directory)).containsExactly(Binary.KUBECTL, Binary.KWOK);
    }

    @Test
    void getsTheOthersWhenOneIsNotThere() throws Exception {
        mirror.remove(file(Binary.ETCD).file());

        Optional<String> whyNot = downloads().supply(VERSION, all(), directory);

        assertThat(whyNot.orElseThrow()).endsWith("etcd-v3.6.8-linux-amd64.tar.gz answered 404");
        assertThat(ControlPlaneBinaries.missingIn(directory)).containsExactly(Binary.ETCD);
    }

    @Test
    void givesUpOnAServerThatStallsInAFile() throws Exception {
        mirror.stall(file(Binary.ETCD).file());

        Optional<String> whyNot = downloads(IMPATIENT).supply(VERSION, all(), directory);

        assertThat(whyNot.orElseThrow()).contains("stopped answering");
        assertThat(filesIn(directory)).as("nothing else is asked of that host").isZero();
    }

    @Test
    void findsOutSoonThatNobodyAnswers() throws Exception {
        mirror.stallAll();
        Downloads patient = new Downloads(
                mirror.base(),
                LINUX,
                new Fetch(Duration.ofMinutes(10), Duration.ofMinutes(10)),
                Duration.ofMillis(500),
                ProgressListener.silent());

        Optional<String> whyNot = patient.supply(VERSION, all(), directory);

        assertThat(whyNot.orElseThrow()).matches("no answer from 127.0.0.1:\\d+ in 0\\.5 s");
    }

    @Test
    void saysThatThereIsNoServer() throws Exception {
        mirror.close();

        assertThat(downloads().supply(VERSION, all(), directory).orElseThrow()).contains("Connection refused");
    }

    @Test
    void asksNobodyWhenItIsTurnedOff() throws Exception {
        Downloads off = new Downloads(DownloadBase.from("none"), LINUX, ProgressListener.silent());

        assertThat(off.supply(VERSION, all(), directory)).hasValue("turned off by TRAINYARD_DOWNLOAD_BASE=none");
    }

    @Test
    void knowsTheOfficialPlaces() {
        DownloadBase official = DownloadBase.from(null);

        assertThat(official.locate(file(Binary.KUBE_APISERVER).file()))
                .hasValue(URI.create("https://dl.k8s.io/release/v1.36.3/bin/linux/amd64/kube-apiserver"));
        assertThat(official.locate(file(Binary.KUBE_APISERVER).checksums()))
                .hasValue(URI.create("https://dl.k8s.io/release/v1.36.3/bin/linux/amd64/kube-apiserver.sha256"));
        assertThat(official.locate(file(Binary.ETCD).file()))
                .hasValue(URI.create("https://github.com/etcd-io/etcd/releases/download/v3.6.8/"
                        + "etcd-v3.6.8-linux-amd64.tar.gz"));
        assertThat(official.locate(file(Binary.KWOK).checksums()))
                .hasValue(URI.create("https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/v0.8.0"));
    }

    private Downloads downloads() {
        return downloads(PATIENT);
    }

    private Downloads downloads(Fetch fetch) {
        return new Downloads(mirror.base(), LINUX, fetch, Duration.ofSeconds(20), ProgressListener.silent());
    }

    private static ReleaseFile file(Binary binary) {
        return ReleaseFiles.of(binary, VERSION, LINUX);
    }

    private static EnumSet<Binary> all() {
        return EnumSet.allOf(Binary.class);
    }

    private static long filesIn(Path directory) throws Exception {
        try (var files = Files.list(directory)) {
            return files.count();
        }
    }

    /** Returns an archive of the real tar command, in which another file precedes the wanted one. */
    private byte[] archive(String name, byte[] content) throws Exception {
        Path root = Files.createDirectories(archives.resolve("archive"));
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file.resolveSibling("README.md"), "text\n".repeat(300));
        Files.write(file, content);
        Process tar = new ProcessBuilder(
                        "tar",
                        "-C",
                        root.toString(),
                        "-czf",
                        root + ".tar.gz",
                        file.getParent().getFileName().toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        return Files.readAllBytes(Path.of(root + ".tar.gz"));
    }
}
