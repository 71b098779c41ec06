package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A release made by the commands of {@code docs/releasing.md} in a clean clone, and used by the commands of {@code docs/installing.md}. The
 * registry is on loopback, and the Maven repository is a directory. The test covers the last commit, not the working tree.
 */
@Tag("install")
@Tag("slow")
class ReleaseIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String VERSION = "0.1.0";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern EXPORT = Pattern.compile("(?m)^export (\\w+)=");

    @TempDir
    private static Path directory;

    private static RegistryProcess registry;
    private static Path helm;
    private static Map<String, String> environment;
    private static Path dist;

    @BeforeAll
    @Timeout(value = 45, unit = TimeUnit.MINUTES)
    static void releaseFromCleanClone() throws IOException, InterruptedException, GeneralSecurityException {
        if (GoTool.onPath("gpg").isEmpty()) {
            throw GoTool.unavailable("there is no gpg command");
        }
        helm = Helm.find().program();
        registry = RegistryProcess.start(Files.createDirectory(directory.resolve("registry")));
        environment = new HashMap<>(registry.trust());
        environment.put(
                "GNUPGHOME", Files.createDirectory(directory.resolve("gnupg")).toString());
        environment.put("VERSION", VERSION);
        environment.put("SOURCE", directory.resolve("source").toString());
        environment.put("REGISTRY", registry.address() + "/acme");
        environment.put("MAVEN_REPOSITORY", directory.resolve("maven").toUri().toString());
        environment.put("MAVEN_GPG_PASSPHRASE", "secret");
        environment.put("MAVEN_GPG_KEY", signingKey());
        run(directory, "git clone --quiet --no-local '%s' source && git -C source tag v$VERSION".formatted(ROOT));

        run(
                directory,
                DocumentedCommands.commands("releasing.md", "Build and publish").get(0));

        dist = directory.resolve("trainyard/release/target/dist");
    }

    @AfterAll
    static void stopRegistryAndAgent() throws IOException, InterruptedException {
        if (registry != null) {
            registry.close();
        }
        if (environment != null) {
            run(directory, "gpgconf --kill gpg-agent");
        }
    }

    @Test
    void namesAllVariablesThatItsCommandsNeed() {
        var named = EXPORT.matcher(DocumentedCommands.commands("releasing.md", "Name version, targets and key")
                        .get(0))
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(environment).containsKeys(named.toArray(String[]::new));
        assertThat(named).hasSize(6);
    }

    @Test
    void signaturesAndChecksumsOfAllDownloadsVerify() throws IOException, InterruptedException {
        var output = run(
                dist,
                DocumentedCommands.commands("installing.md", "From a release").get(0));

        var files = names(dist).stream().filter(name -> !name.endsWith(".asc")).toList();
        assertThat(files)
                .containsExactly(
                        "SHA256SUMS",
                        "trainyard-0.1.0.sbom.cdx.json",
                        "trainyard-0.1.0.tar.gz",
                        "trainyard-chart-0.1.0.tgz",
                        "trainyard-image-0.1.0.digest",
                        "trainyard-image-0.1.0.oci.tar");
        assertThat(output.lines().filter(line -> line.endsWith(": OK"))).hasSize(files.size() - 1);
        for (var file : files) {
            run(dist, "gpg --quiet --verify '%1$s.asc' '%1$s'".formatted(file));
        }
    }

    @Test
    void registryHasTheImageOfTheSignedArchive() throws Exception {
        var digest =
                Files.readString(dist.resolve("trainyard-image-0.1.0.digest")).strip();
        var index = JSON.readTree(run(dist, "tar -xOf trainyard-image-0.1.0.oci.tar index.json"));

        var manifest = registry.get("acme/trainyard/manifests/" + digest, MANIFEST);

        assertThat(index.at("/manifests/0/digest").asText()).isEqualTo(digest);
        assertThat(sha256(manifest)).isEqualTo(digest);
        assertThat(registry.get("acme/trainyard/manifests/" + VERSION, MANIFEST).body())
                .isEqualTo(manifest.body());
        for (var blob : blobs(JSON.readTree(manifest.body()))) {
            assertThat(sha256(registry.get("acme/trainyard/blobs/" + blob, "*/*")))
                    .isEqualTo(blob);
        }
    }

    /** Runs the user's commands in order in one shell. The control plane has no nodes, so pods do not start. */
    @Test
    void tarballRunsWithoutMavenAndChartInstallsTheImageByDigest() throws Exception {
        var digest =
                Files.readString(dist.resolve("trainyard-image-0.1.0.digest")).strip();
        var commands = DocumentedCommands.commands("installing.md", "From a release");
        var options = ControlPlaneOptions.defaults().withParentDirectory(Path.of("target", "release"));
        try (var controlPlane = ControlPlane.start(options, step -> {});
                var client = controlPlane.client()) {
            environment.put("KUBECONFIG", controlPlane.kubeconfig().toString());

            var output = run(
                    user("user"),
                    commands.get(1) + commands.get(2),
                    controlPlane.kubectl().getParent());

            assertThat(output)
                    .contains("trainyard " + VERSION)
                    .contains("light-spot")
                    .doesNotContain("Building Trainyard");
            assertThat(client.apps()
                            .deployments()
                            .inNamespace(Names.NAMESPACE)
                            .list()
                            .getItems())
                    .hasSize(3)
                    .allSatisfy(deployment -> assertThat(
                                    images(deployment.getSpec().getTemplate().getSpec()))
                            .contains(registry.address() + "/acme/trainyard@" + digest));
        }
    }

    @Test
    void tarballHasNothingOfTheWorkshop() throws IOException, InterruptedException {
        var user = user("product");
        run(user, "tar -xzf trainyard-$VERSION.tar.gz");

        assertThat(names(user.resolve("trainyard-0.1.0/lib")))
                .contains("trainyard-cli.jar")
                .noneMatch(name -> name.matches("trainyard-(?:local|emulator|bench|chaos|workshop).*"));
        assertThat(run(user, "trainyard-$VERSION/trainyard demo 2>&1 || true"))
                .contains("demo is not part of a release");
    }

    @Test
    void tarballNamesNoSnapshot() throws IOException, InterruptedException {
        var user = user("snapshots");
        run(user, "tar -xzf trainyard-$VERSION.tar.gz");

        assertThat(run(user, "grep -rn -e -SNAPSHOT trainyard-$VERSION/manifests trainyard-$VERSION/trainyard || true"))
                .isEmpty();
        assertThat(names(user.resolve("trainyard-0.1.0/lib"))).noneMatch(name -> name.contains("SNAPSHOT"));
    }

    @Test
    void mavenRepositoryHasSignedModulesWithSourcesAndJavadoc() throws IOException, InterruptedException {
        var modules = directory.resolve("maven/dev/trainyard");

        assertThat(names(modules))
                .containsExactly(
                        "trainyard",
                        "trainyard-aws",
                        "trainyard-azure",
                        "trainyard-certs",
                        "trainyard-cli",
                        "trainyard-core",
                        "trainyard-extender",
                        "trainyard-runtime",
                        "trainyard-scaler",
                        "trainyard-simulation",
                        "trainyard-webhook");
        for (var module : names(modules)) {
            var files = names(modules.resolve(module).resolve(VERSION));
            var pom = module + "-0.1.0.pom";
            var expected = new ArrayList<>(List.of(pom));
            if (!module.equals("trainyard")) {
                for (var kind : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
                    expected.add(module + "-0.1.0" + kind);
                }
            }
            for (var file : expected) {
                assertThat(files).contains(file, file + ".asc");
                run(modules.resolve(module).resolve(VERSION), "gpg --quiet --verify %1$s.asc %1$s".formatted(file));
            }
            assertThat(modules.resolve(module).resolve(VERSION).resolve(pom))
                    .content()
                    .contains("<version>0.1.0</version>")
                    .doesNotContain("${revision}");
        }
        assertThat(modules.resolve("trainyard-cli/0.1.0/trainyard-cli-0.1.0.tar.gz"))
                .hasSameBinaryContentAs(dist.resolve("trainyard-0.1.0.tar.gz"));
    }

    private static List<String> images(PodSpec pod) {
        return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .map(container -> container.getImage())
                .toList();
    }

    /** Returns a directory with the files of the release, as downloaded by a user. */
    private static Path user(String name) throws IOException {
        var user = Files.createDirectory(directory.resolve(name));
        for (var file : names(dist)) {
            Files.createLink(user.resolve(file), dist.resolve(file));
        }
        return user;
    }

    /** Returns a new key, which is the only one in gpg's keyring. */
    private static String signingKey() throws IOException, InterruptedException {
        var gpg = "gpg --batch --pinentry-mode loopback --passphrase secret ";
        run(directory, "chmod 700 $GNUPGHOME");
        run(directory, gpg + "--quiet --quick-generate-key 'Release test <test@example.com>' rsa3072 sign 1d");
        return run(directory, gpg + "--armor --export-secret-keys test@example.com 2>/dev/null");
    }

    private static List<String> blobs(JsonNode manifest) {
        var blobs = new ArrayList<String>();
        blobs.add(manifest.at("/config/digest").asText());
        manifest.path("layers").forEach(layer -> blobs.add(layer.path("digest").asText()));
        return blobs;
    }

    private static String sha256(HttpResponse<byte[]> response) throws GeneralSecurityException {
        assertThat(response.statusCode()).isEqualTo(200);
        return "sha256:"
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(response.body()));
    }

    private static List<String> names(Path parent) throws IOException {
        try (var files = Files.list(parent)) {
            return files.filter(file ->
                            !Files.isRegularFile(file) || !file.toString().matches(".*\\.(?:md5|sha1)"))
                    .filter(file -> !file.getFileName().toString().startsWith("maven-metadata"))
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** Runs commands in a shell, with Helm and {@code programs} on the path; all must succeed. Returns both output streams. */
    private static String run(Path where, String commands, Path... programs) throws IOException, InterruptedException {
        var builder = new ProcessBuilder("sh", "-eu", "-c", commands)
                .directory(where.toFile())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.matches("MAVEN_(?:PROJECTBASEDIR|CMD_LINE_ARGS|BASEDIR)"));
        builder.environment().putAll(environment);
        var path = new StringBuilder(helm.getParent().toString());
        for (var program : programs) {
            path.append(':').append(program);
        }
        builder.environment().merge("PATH", path.toString(), (old, ours) -> ours + ":" + old);
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError("these commands failed:\n%s\n%s".formatted(commands, output));
        }
        return output;
    }
}
