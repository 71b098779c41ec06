package dev.trainyard.image;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A builder of the image. Layers that seldom change are below layers that often change. From the lowest up: C library or base image, Java
 * runtime, libraries, archived classes of the runtime and the libraries, Trainyard.
 *
 * @param jdk the JDK whose runtime the image contains
 * @param jars the jars of the executable
 * @param bill the bill of materials of the executable
 * @param base the name of a base image in Jib's syntax, such as {@code debian:trixie-slim} or {@code tar://FILE}; null for none
 * @param work a directory for intermediate files, which later builds reuse
 * @param version the version of Trainyard
 * @param revision the commit; empty if unknown
 * @param created the creation time in the image; not the current time, so that the same contents give the same image
 */
record ImageBuild(
        Jdk jdk,
        Jars jars,
        Path bill,
        @Nullable String base,
        Path work,
        String version,
        Optional<String> revision,
        Instant created) {

    /** The ID of the unprivileged user and its group, as in the manifests. */
    static final int USER = 65532;

    static final String JAVA = "/opt/java";
    static final String HOME = "/opt/trainyard";
    static final String LIBRARIES = HOME + "/lib";
    private static final String ARCHIVE = HOME + "/classes.jsa";
    private static final String OPTIONS = HOME + "/options";

    /** The entry point of the image. A container's arguments follow: the Trainyard command and its flags. */
    static final List<String> ENTRYPOINT = List.of(JAVA + "/bin/java", "@" + OPTIONS, "dev.trainyard.cli.Main");

    /** The result of a build: the digest of the image, and its layers without those of a base image. */
    record Built(String digest, List<FileEntriesLayer> layers) {}

    /**
     * @param format the format of the image. More tools can read a file in Docker's format. Only an OCI image has the same digest in a file
     *     and in a registry
     * @throws ImageException if the base image cannot be read, or the image cannot be written to the target
     */
    Built to(Containerizer target, ImageFormat format) throws InterruptedException {
        var layers = layers();
        try {
            var container = builder()
                    .setFormat(format)
                    .setPlatforms(Set.of(new Platform(architecture(), "linux")))
                    .setFileEntriesLayers(layers)
                    .setEntrypoint(ENTRYPOINT)
                    .setProgramArguments("--help")
                    .setUser(USER + ":" + USER)
                    .setLabels(labels())
                    .setCreationTime(created)
                    .containerize(target.setToolName("trainyard")
                            .setBaseImageLayersCache(work.resolve("cache"))
                            .setApplicationLayersCache(work.resolve("cache")));
            return new Built(container.getDigest().toString(), layers);
        } catch (IOException | RegistryException | CacheDirectoryCreationException e) {
            throw new ImageException("The image could not be built: " + e.getMessage(), e);
        } catch (ExecutionException e) {
            throw new ImageException("The image could not be built: " + e.getCause(), e);
        }
    }

    private JibContainerBuilder builder() {
        if (base == null) {
            return Jib.fromScratch();
        }
        try {
            return Jib.from(base);
        } catch (InvalidImageReferenceException e) {
            throw new ImageException(
                    "--base: '%s' is not the name of an image, such as debian:trixie-slim or tar://base.tar"
                            .formatted(base),
                    e);
        }
    }

    private List<FileEntriesLayer> layers() {
        try {
            Files.createDirectories(work);
            var runtime = JavaRuntime.link(jdk, work);
            var sbom = Sbom.read(bill);
            sbom.addRuntime(jdk);
            var layers = new ArrayList<FileEntriesLayer>();
            if (base == null) {
                layers.add(CLibrary.layer(runtime, work.resolve("etc")));
                sbom.addCLibrary(CLibrary.version());
            }
            layers.add(Layers.tree("Java runtime", runtime, JAVA));
            layers.add(Layers.files("libraries", jars.libraries(), LIBRARIES));
            var archive = ClassArchive.make(jdk, runtime, jars, work);
            archive.ifPresent(file -> layers.add(Layers.files("archived classes", List.of(file), HOME)));
            layers.add(own(sbom, archive.isPresent()));
            return layers;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FileEntriesLayer own(Sbom sbom, boolean archived) throws IOException {
        var layer = FileEntriesLayer.builder().setName("Trainyard");
        jars.ours().forEach(jar -> Layers.addText(layer, jar, LIBRARIES + "/" + jar.getFileName()));
        var bill = work.resolve("sbom.cdx.json");
        sbom.write(bill);
        Layers.addText(layer, bill, HOME + "/sbom.cdx.json");
        // The JVM's messages go to standard error, because standard output belongs to the program.
        var options = Files.writeString(work.resolve("options"), """
                -Xlog:disable
                -Xlog:all=warning:stderr
                %s-cp
                %s
                """.formatted(
                        archived ? "-XX:SharedArchiveFile=" + ARCHIVE + "\n" : "", jars.classPath(LIBRARIES)));
        Layers.addText(layer, options, OPTIONS);
        return layer.build();
    }

    private Map<String, String> labels() {
        var labels = new TreeMap<>(Map.of(
                "org.opencontainers.image.title", "Trainyard",
                "org.opencontainers.image.description",
                        "Runs plain training jobs on the Kubernetes machines that you prefer, such as spot machines.",
                "org.opencontainers.image.version", version,
                "org.opencontainers.image.licenses", "Apache-2.0"));
        revision.ifPresent(commit -> labels.put("org.opencontainers.image.revision", commit));
        if (base != null && !base.startsWith(Jib.TAR_IMAGE_PREFIX)) {
            labels.put("org.opencontainers.image.base.name", base);
        }
        return labels;
    }

    /** Returns this machine's architecture as images name it, because the image contains the Java runtime of this machine. */
    static String architecture() {
        var name = System.getProperty("os.arch", "");
        return name.equals("aarch64") ? "arm64" : name.equals("x86_64") ? "amd64" : name;
    }
}
