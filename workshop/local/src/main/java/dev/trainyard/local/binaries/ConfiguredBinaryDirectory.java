package dev.trainyard.local.binaries;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A check of a directory of binaries from an environment variable. */
final class ConfiguredBinaryDirectory {
    private ConfiguredBinaryDirectory() {}

    /** Returns why the directory is not usable for this version; empty if it is usable. */
    static Optional<String> whyNot(Path directory, KubernetesVersion version) {
        Set<Binary> missing = ControlPlaneBinaries.missingIn(directory);
        if (!missing.isEmpty()) {
            return Optional.of(directory + " lacks " + Binary.names(missing));
        }
        Path apiServer = directory.resolve(Binary.KUBE_APISERVER.fileName());
        String reported = reportedVersion(apiServer);
        return reported.startsWith("Kubernetes v" + version.minor() + ".")
                ? Optional.empty()
                : Optional.of("Kubernetes " + version.minor() + " is wanted, but " + apiServer + " --version says \""
                        + reported + "\"");
    }

    private static String reportedVersion(Path apiServer) {
        try {
            Process process = new ProcessBuilder(apiServer.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "no output within 20 s";
            }
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
