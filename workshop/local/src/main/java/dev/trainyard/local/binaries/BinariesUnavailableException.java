package dev.trainyard.local.binaries;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** An error: the binaries of a control plane are unavailable. The message lists all attempts, their failures, and possible fixes. */
public final class BinariesUnavailableException extends RuntimeException {

    /**
     * A failed attempt to get binaries.
     *
     * @param what the attempt, such as "go build"
     * @param whyNot the reason of its failure, such as "no go command on PATH"
     */
    public record Attempt(String what, String whyNot) {}

    public BinariesUnavailableException(KubernetesVersion version, Set<Binary> missing, List<Attempt> attempts) {
        super(message(version, missing, attempts));
    }

    private static String message(KubernetesVersion version, Set<Binary> missing, List<Attempt> attempts) {
        String tried = attempts.stream()
                .map(attempt -> "  - " + attempt.what() + ": " + attempt.whyNot())
                .collect(Collectors.joining("\n"));
        return """
                The programs of a local Kubernetes %s control plane are not available; missing: %s.
                Tried, in this order:
                %s
                Do one of these, and run the command again:
                  - install Go %s or newer (https://go.dev/dl/) with access to its module proxy: the programs are compiled once, in some minutes
                  - give access to %s and %s, or set %s to a mirror of them
                  - set %s to a directory that holds %s
                More in docs/local-control-plane.md.""".formatted(
                        version,
                        Binary.names(missing),
                        tried,
                        GoSources.goVersion(),
                        ReleaseFiles.KUBERNETES_HOST,
                        ReleaseFiles.GITHUB_HOST,
                        BinarySource.DOWNLOAD_BASE,
                        BinarySource.CONTROL_PLANE,
                        Binary.names(List.of(Binary.values())));
    }
}
