package dev.trainyard.local.binaries;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The files of {@code workshop/local/control-plane}, which pin the versions of all compiled Go modules. The files are resources of the jar.
 */
final class GoSources {
    private static final String FOLDER = "/dev/trainyard/local/control-plane/";

    private GoSources() {}

    /** Returns the Go version that the module requires, such as {@code 1.26}. */
    static String goVersion() {
        return GoCompiler.goVersion(read("go.mod"));
    }

    /** Returns 12 hex digits that change if any pinned module of this version changes. */
    static String fingerprint(KubernetesVersion version) {
        MessageDigest digest = Sha256.newDigest();
        filesOf(version).forEach(name -> digest.update(read(name)));
        return Sha256.hex(digest).substring(0, 12);
    }

    static void copyTo(Path directory) throws IOException {
        for (KubernetesVersion version : KubernetesVersion.values()) {
            for (String name : filesOf(version)) {
                Files.write(directory.resolve(name), read(name));
            }
        }
    }

    /** Returns the module and sum files of {@code version}, and also go.mod and go.sum, which etcd and kwok always use. */
    private static Set<String> filesOf(KubernetesVersion version) {
        return new LinkedHashSet<>(List.of("go.mod", "go.sum", version.goModule(), sums(version.goModule())));
    }

    private static String sums(String module) {
        return module.replace(".mod", ".sum");
    }

    static byte[] read(String name) {
        try (InputStream file = GoSources.class.getResourceAsStream(FOLDER + name)) {
            if (file == null) {
                throw new IllegalStateException("resource " + FOLDER + name + " is not in this build of Trainyard");
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
