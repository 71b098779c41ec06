package dev.trainyard.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.RegistryImage;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the image without a base image: the contents of its file, and its programs, run with only these contents. */
@TestInstance(Lifecycle.PER_CLASS)
@EnabledOnOs(OS.LINUX)
@Tag("install")
class ImageIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path CLI = ROOT.resolve("cli/target");
    private static final Path WORK = ROOT.resolve("image/target/work");
    private static final String REVISION = "0123456789abcdef0123456789abcdef01234567";

    @TempDir
    private static Path scratch;

    private final Jdk jdk = Jdk.best();
    private final Jars jars = Jars.builtIn(CLI);
    private ImageBuild.Built built;
    private ImageTar image;
    private UnpackedContainer container;

    @BeforeAll
    void buildsAndUnpacksIt() throws Exception {
        var file = scratch.resolve("image.tar");
        built = build(jars, WORK, file);
        image = ImageTar.read(file);
        var root = Files.createDirectory(scratch.resolve("root"));
        image.unpack(root);
        container = new UnpackedContainer(root, ROOT.resolve("manifests/examples"));
        image.layers()
                .forEach(layer -> System.out.printf(
                        "%-18s %5.1f MB, compressed %5.1f MB%n",
                        layer.name(),
                        layer.entries().stream()
                                        .mapToLong(TarArchiveEntry::getSize)
                                        .sum()
                                / 1e6,
                        layer.compressed() / 1e6));
    }

    @Test
    void whatChangesSeldomLiesBelowWhatChangesOften() {
        var expected =
                new ArrayList<>(List.of("C library", "Java runtime", "libraries", "archived classes", "Trainyard"));
        if (jdk.major() < Jdk.NEWEST_LTS) {
            expected.remove("archived classes");
        }
        assertThat(image.names()).isEqualTo(expected);
    }

    /** A release that changes only Trainyard's code sends only the last layer over the network. */
    @Test
    void aChangeOfOurCodeChangesNoLayerButTheLast() throws Exception {
        var changed = Files.copy(CLI.resolve("trainyard-cli.jar"), scratch.resolve("trainyard-cli.jar"));
        Files.write(changed, new byte[] {0}, StandardOpenOption.APPEND);
        var ours =
                Stream.concat(Stream.of(changed), jars.ours().stream().skip(1)).toList();
        var file = scratch.resolve("changed.tar");

        build(new Jars(jars.libraries(), ours), WORK, file);

        var other = ImageTar.read(file).digests();
        int last = other.size() - 1;
        assertThat(other.subList(0, last)).isEqualTo(image.digests().subList(0, last));
        assertThat(other.get(last)).isNotEqualTo(image.digests().get(last));
    }

    @Test
    void theSamePartsMakeTheSameImage() throws Exception {
        // Everything is built again except the runtime, because linking takes longer than all the rest.
        Files.deleteIfExists(WORK.resolve("classes.jsa"));
        Directories.delete(WORK.resolve("cache"));

        var again = build(jars, WORK, scratch.resolve("again.tar"));

        assertThat(again.digest()).isEqualTo(built.digest());
    }

    @Test
    void theCommandWritesThatImage() throws Exception {
        var file = scratch.resolve("commanded/image.tar");

        assertThat(ImageCommand.commandLine().execute("--tar", file.toString())).isZero();

        assertThat(ImageTar.read(file).digests()).isEqualTo(image.digests());
    }

    @Test
    void writesAnOciArchiveWhoseDigestIsThatOfItsManifest() throws Exception {
        var file = scratch.resolve("image.oci.tar");
        var digest = scratch.resolve("image.digest");

        int code = ImageCommand.commandLine()
                .execute("--format", "oci", "--tar", file.toString(), "--digest-file", digest.toString());

        assertThat(code).isZero();
        var files = new HashMap<String, byte[]>();
        try (var tar = new TarArchiveInputStream(Files.newInputStream(file))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                files.put(entry.getName(), tar.readAllBytes());
            }
        }
        assertThat(files).containsKey("oci-layout");
        var manifests = new ObjectMapper().readTree(files.get("index.json")).path("manifests");
        assertThat(manifests).hasSize(1);
        var recorded = Files.readString(digest).strip();
        assertThat(manifests.get(0).path("digest").asText()).isEqualTo(recorded);
        var manifest = files.get("blobs/sha256/" + recorded.substring("sha256:".length()));
        assertThat("sha256:"
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(manifest)))
                .isEqualTo(recorded);
        assertThat(digests(new ObjectMapper().readTree(manifest).path("layers")))
                .hasSameSizeAs(image.digests())
                .allSatisfy(
                        layer -> assertThat(files).containsKey("blobs/sha256/" + layer.substring("sha256:".length())));
    }

    /** Before Java 22, elliptic-curve keys needed a separate module. */
    @Test
    void theRuntimeOfTheOldestJavaCanMakeOurKeysToo() {
        var oldest = Jdk.at(Path.of(System.getProperty("java.home")));
        var runtime = JavaRuntime.link(oldest, WORK);

        var said = Program.run(List.of(
                runtime.resolve("bin/keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=trainyard",
                "-alias",
                "trainyard",
                "-storepass",
                "changeit",
                "-keystore",
                scratch.resolve("keys.p12").toString()));

        assertThat(scratch.resolve("keys.p12")).as(said).isNotEmptyFile();
    }

    /** A second push sends no layer again. The pushed image then serves as a base image, because it has a C library. */
    @Test
    void aRegistryGetsItWholeAndCanGiveTheBase() throws Exception {
        try (var registry = new LoopbackRegistry()) {
            var pushed = push(registry, null);

            assertThat(registry.manifest("test")).isEqualTo(registry.manifest(pushed.digest()));
            var layers = registry.manifest("test").get("layers");
            assertThat(digests(layers))
                    .isEqualTo(image.layers().stream()
                            .map(layer -> LoopbackRegistry.digest(layer.bytes()))
                            .toList());
            var config =
                    registry.blob(registry.manifest("test").at("/config/digest").asText());
            assertThat(new ObjectMapper().readTree(config).get("rootfs"))
                    .isEqualTo(image.config().get("rootfs"));
            int sent = registry.uploaded();
            assertThat(sent).isEqualTo(layers.size() + 1);
            assertThat(push(registry, null).digest()).isEqualTo(pushed.digest());
            assertThat(registry.uploaded()).isEqualTo(sent);

            var base = "%s/trainyard@%s".formatted(registry.host(), pushed.digest());
            push(registry, base);

            var upon = registry.manifest("test").get("layers");
            assertThat(upon)
                    .as("all of the base, and above it all but a C library of its own")
                    .hasSize(2 * layers.size() - 1);
            assertThat(digests(upon).subList(0, layers.size())).isEqualTo(digests(layers));
            registry.closeToStrangers();
            assertThatThrownBy(() -> push(registry, null))
                    .isInstanceOf(ImageException.class)
                    .hasMessageContaining(registry.host())
                    .hasMessageContaining("Unauthorized");
        }
    }

    @Test
    void allBelongsToRootAndNothingCanBeWritten() {
        assertThat(image.layers())
                .allSatisfy(layer -> assertThat(layer.entries()).allSatisfy(entry -> {
                    assertThat(entry.getLongUserId()).isZero();
                    assertThat(entry.getLongGroupId()).isZero();
                    assertThat(entry.isFile() || entry.isDirectory())
                            .as(entry.getName())
                            .isTrue();
                    int mode = entry.getMode() & 07777;
                    if (entry.isDirectory()) {
                        assertThat(mode)
                                .as(entry.getName())
                                .isEqualTo(entry.getName().equals("tmp/") ? 0777 : 0755);
                    } else {
                        assertThat(mode).as(entry.getName()).isIn(0444, 0555);
                    }
                    assertThat(entry.getLastModifiedTime().toInstant())
                            .isEqualTo(
                                    entry.isDirectory()
                                            ? entry.getLastModifiedTime().toInstant()
                                            : Layers.TIME);
                }));
    }

    /** Only Java's programs and the dynamic loader are executable. */
    @Test
    void thereIsNoShellAndNoSecret() {
        var files = image.layers().stream()
                .flatMap(layer -> layer.entries().stream())
                .filter(TarArchiveEntry::isFile)
                .map(TarArchiveEntry::getName)
                .toList();
        assertThat(files)
                .filteredOn(name -> name.contains("bin/"))
                .containsExactlyInAnyOrder("opt/java/bin/java", "opt/java/bin/jfr", "opt/java/bin/keytool");
        assertThat(files)
                .noneMatch(name -> name.matches(".*\\.(key|pem|p12|jks|pfx|env)|.*(id_rsa|credentials|kubeconfig).*"));
    }

    @Test
    void itsConfigurationNamesNobodyAsItsUserAndSaysWhatItIs() {
        var config = image.config().get("config");
        assertThat(config.get("User").asText()).isEqualTo("65532:65532");
        assertThat(config.get("Entrypoint")).extracting(node -> node.asText()).isEqualTo(ImageBuild.ENTRYPOINT);
        assertThat(config.get("Env")).isEmpty();
        var labels = config.get("Labels");
        assertThat(labels.get("org.opencontainers.image.title").asText()).isEqualTo("Trainyard");
        assertThat(labels.get("org.opencontainers.image.version").asText()).isEqualTo(ImageCommand.version());
        assertThat(labels.get("org.opencontainers.image.revision").asText()).isEqualTo(REVISION);
        assertThat(labels.get("org.opencontainers.image.licenses").asText()).isEqualTo("Apache-2.0");
    }

    /** The bill of materials lists each jar, the runtime and the C library. */
    @Test
    void itsBillOfMaterialsHasAllThatIsInIt() throws Exception {
        var bill = new ObjectMapper()
                .readTree(
                        container.root().resolve("opt/trainyard/sbom.cdx.json").toFile());
        var listed = new ArrayList<String>();
        bill.get("components")
                .forEach(component -> listed.add(component.get("name").asText() + "-"
                        + component.get("version").asText()));
        var contained = Directories.files(container.root().resolve("opt/trainyard/lib")).stream()
                .map(jar -> jar.getFileName().toString().replaceFirst("\\.jar$", ""))
                .filter(name -> !name.equals("trainyard-cli")) // the subject of the bill
                .collect(Collectors.toCollection(ArrayList::new));
        contained.add("OpenJDK runtime-" + jdk.version());
        contained.add("glibc-" + CLibrary.version());
        assertThat(listed).containsExactlyInAnyOrderElementsOf(contained);
    }

    @ParameterizedTest
    @ValueSource(strings = {"webhook", "extender", "scaler", "check"})
    void everyComponentRunsOnTheImageAlone(String command) throws Exception {
        var process = container.start(entrypoint(List.of(), command, "--help"));

        var output = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(output).startsWith("Usage: trainyard " + command);
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void theWebhookGetsReadyOnTheImageAlone() throws Exception {
        var process = container.start(entrypoint(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                "webhook",
                "--listen=127.0.0.1:0",
                "--tls-dir=/tmp/tls",
                "--resources=/tmp/examples",
                "--drain=0"));
        var lines = new ArrayList<String>();
        try (var output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (var line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                if (line.startsWith("webhook ready on ")) {
                    break;
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(lines).last().asString().startsWith("webhook ready on https://127.0.0.1:");
    }

    /** If the list of classes is older than the libraries, fewer classes come from the archive. docs/image.md says how to renew the list. */
    @Test
    void mostClassesComeFromTheArchive() throws Exception {
        assumeThat(image.names()).contains("archived classes");
        var loaded = Pattern.compile("\\[class,load] (\\S+) source: (shared objects file)?");

        var process = container.start(entrypoint(List.of("-Xshare:on", "-Xlog:class+load"), "--version"));

        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        var found = loaded.matcher(output)
                .results()
                .filter(match -> !match.group(1).startsWith("dev.trainyard."))
                .collect(Collectors.partitioningBy(match -> match.group(2) != null, Collectors.counting()));
        System.out.println(
                "classes not ours: from the archive " + found.get(true) + ", from elsewhere " + found.get(false));
        assertThat(found.get(true)).isGreaterThan(9 * found.get(false));
    }

    private List<String> entrypoint(List<String> options, String... arguments) {
        var command = new ArrayList<>(ImageBuild.ENTRYPOINT.subList(0, 2));
        command.addAll(options);
        command.addAll(ImageBuild.ENTRYPOINT.subList(2, ImageBuild.ENTRYPOINT.size()));
        command.addAll(List.of(arguments));
        return command;
    }

    private ImageBuild.Built build(Jars parts, Path work, Path file) throws Exception {
        return of(parts, work, null)
                .to(
                        Containerizer.to(TarImage.at(file).named("trainyard:test"))
                                .setOfflineMode(true),
                        ImageFormat.Docker);
    }

    private static List<String> digests(JsonNode layers) {
        var digests = new ArrayList<String>();
        layers.forEach(layer -> digests.add(layer.get("digest").asText()));
        return digests;
    }

    private ImageBuild.Built push(LoopbackRegistry registry, String base) throws Exception {
        var trusted = SSLContext.getDefault();
        SSLContext.setDefault(registry.tls());
        try {
            return of(jars, WORK, base)
                    .to(Containerizer.to(RegistryImage.named(registry.host() + "/trainyard:test")), ImageFormat.OCI);
        } finally {
            SSLContext.setDefault(trusted);
        }
    }

    private ImageBuild of(Jars parts, Path work, String base) {
        return new ImageBuild(
                jdk,
                parts,
                CLI.resolve("sbom.cdx.json"),
                base,
                work,
                ImageCommand.version(),
                Optional.of(REVISION),
                Instant.EPOCH);
    }
}
