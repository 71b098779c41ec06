package dev.trainyard.image;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.LogEvent;
import com.google.cloud.tools.jib.api.RegistryImage;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code ./trainyard image}. */
@Command(
        name = "trainyard image",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Builds the container image of Trainyard, without a container engine.",
        footer = {
            "",
            "Without --base, the lowest layer holds only the C library of this machine. With --base, the named image is the lowest layer.",
            "Without --push, the image is a file, for docker load, kind load image-archive, ctr images import or skopeo copy."
        })
final class ImageCommand implements Callable<Integer> {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root", ""));

    /** The formats of an image in a file. */
    enum Format {
        DOCKER(ImageFormat.Docker),
        OCI(ImageFormat.OCI);

        private final ImageFormat jib;

        Format(ImageFormat jib) {
            this.jib = jib;
        }
    }

    @Option(
            names = "--push",
            paramLabel = "IMAGE",
            description = "Push the image to a registry under this name, with the credentials of docker login.")
    private @Nullable String push;

    @Option(
            names = "--tar",
            paramLabel = "FILE",
            description = "File for an image that is not pushed. Default: image/target/trainyard-image.tar.")
    private Path tar = ROOT.resolve("image/target/trainyard-image.tar");

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "Format of the file: docker (default), or oci, an image layout in a tar archive. An image that is pushed is always OCI.")
    private Format format = Format.DOCKER;

    @Option(
            names = "--digest-file",
            paramLabel = "FILE",
            description = "File for the digest of the image, such as sha256:4d2f... "
                    + "The digests of an OCI archive and of the pushed image are equal.")
    private @Nullable Path digestFile;

    @Option(
            names = "--base",
            paramLabel = "IMAGE",
            description = "An image with a C library, preferably named by its digest (NAME@sha256:...), or tar://FILE.")
    private @Nullable String base;

    @Option(
            names = "--jdk",
            paramLabel = "DIR",
            description = "The JDK whose runtime the image contains. Default: the newest LTS release, " + Jdk.NEWEST_LTS
                    + ", if this machine has it, or else the newest JDK.")
    private @Nullable Path jdk;

    @Option(names = "--allow-insecure", description = "Allow registries without TLS, such as one on this machine.")
    private boolean insecure;

    private ImageCommand() {}

    /** Builds the image and exits: 0 for success, 1 for a failure, 2 for wrong usage. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments)); // Jib's threads would keep the JVM alive
    }

    static CommandLine commandLine() {
        var commandLine = new CommandLine(new ImageCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        return commandLine.setExecutionExceptionHandler((problem, command, parsed) -> {
            if (problem instanceof ImageException) {
                command.getErr().println("trainyard: " + problem.getMessage());
            } else if (problem instanceof UncheckedIOException unwritable) {
                // The message of a FileSystemException is only the file name.
                command.getErr().println("trainyard: " + unwritable.getCause());
            } else {
                problem.printStackTrace(command.getErr());
            }
            return 1;
        });
    }

    @Override
    public Integer call() throws InterruptedException {
        if (push == null) {
            makeDirectory();
        }
        var source = jdk == null ? Jdk.best() : Jdk.at(jdk);
        var target = ROOT.resolve("cli/target");
        var version = version();
        var build = new ImageBuild(
                source,
                Jars.builtIn(target),
                target.resolve("sbom.cdx.json"),
                base,
                ROOT.resolve("image/target/work"),
                version,
                git("rev-parse", "HEAD"),
                git("log", "-1", "--format=%cI")
                        .map(time -> OffsetDateTime.parse(time).toInstant())
                        .orElse(Instant.EPOCH));
        System.err.printf("Building the image with Java %s of %s ...%n", source.version(), source.home());
        if (source.major() != Jdk.NEWEST_LTS) {
            System.err.printf(
                    "The newest release with long-term support is Java %d. Name a JDK of that release with --jdk.%n",
                    Jdk.NEWEST_LTS);
        }
        var name = push == null ? "trainyard:" + version : push;
        var built = build.to(containerizer(name), push == null ? format.jib : ImageFormat.OCI);
        built.layers().forEach(ImageCommand::print);
        System.out.printf("%s %s%s%n", name, built.digest(), push == null ? " in " + tar : "");
        writeDigest(built.digest());
        if (System.out.checkError()) {
            throw new ImageException("standard output cannot be written; the image itself is complete");
        }
        return 0;
    }

    private void writeDigest(String digest) {
        if (digestFile == null) {
            return;
        }
        try {
            Files.writeString(digestFile, digest + "\n");
        } catch (IOException e) {
            throw new ImageException("--digest-file: '%s' cannot be written: %s".formatted(digestFile, e), e);
        }
    }

    private void makeDirectory() {
        var directory = tar.toAbsolutePath().getParent();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new ImageException("--tar: the directory of '%s' cannot be created: %s".formatted(tar, e), e);
        }
        if (!Files.isWritable(directory)) {
            throw new ImageException("--tar: the directory of '%s' is not writable".formatted(tar));
        }
    }

    private Containerizer containerizer(String name) {
        try {
            if (push == null) {
                return Containerizer.to(TarImage.at(tar).named(name)).setAllowInsecureRegistries(insecure);
            }
            var credentials = CredentialRetrieverFactory.forImage(ImageReference.parse(name), ImageCommand::ignore);
            return Containerizer.to(RegistryImage.named(name)
                            .addCredentialRetriever(credentials.dockerConfig())
                            .addCredentialRetriever(credentials.wellKnownCredentialHelpers()))
                    .setAllowInsecureRegistries(insecure);
        } catch (InvalidImageReferenceException e) {
            throw new ImageException(
                    "--push: '%s' is not the name of an image, such as registry.example.com/trainyard:%s"
                            .formatted(name, version()),
                    e);
        }
    }

    private static void print(FileEntriesLayer layer) {
        long bytes = layer.getEntries().stream()
                .mapToLong(entry -> entry.getSourceFile().toFile().isFile()
                        ? entry.getSourceFile().toFile().length()
                        : 0)
                .sum();
        System.out.printf("%-18s %5.1f MB%n", layer.getName(), bytes / 1e6);
    }

    private static void ignore(LogEvent event) {
        // Events about the search for credentials do not matter if the push works. If it fails, the registry's error is
        // shown.
    }

    /** Returns the version of Trainyard in the image, such as {@code 0.1.0}. */
    static String version() {
        var properties = new Properties();
        try (var file = ImageCommand.class.getResourceAsStream("/dev/trainyard/cli/version.properties")) {
            properties.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    private static Optional<String> git(String... arguments) {
        var command = new ArrayList<>(List.of("git", "-C", ROOT.toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        try {
            return Optional.of(Program.run(command).strip());
        } catch (ImageException e) {
            return Optional.empty(); // sources without a git repository
        }
    }
}
