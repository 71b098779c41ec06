package dev.trainyard.local.binaries;

import java.net.URI;
import java.util.Optional;

/** The official addresses of Linux releases. Kubernetes publishes no server binaries for macOS. */
final class ReleaseFiles {
    static final String KUBERNETES_HOST = "https://dl.k8s.io";
    static final String GITHUB_HOST = "https://github.com";

    private ReleaseFiles() {}

    /**
     * A released file.
     *
     * @param file address of the file; the last part of its path is the name in the checksums
     * @param checksums address of a text with the file's SHA-256
     * @param inArchive path of the binary in the archive; empty if the file is not a {@code tar.gz}
     */
    record ReleaseFile(URI file, URI checksums, Optional<String> inArchive) {
        String name() {
            String path = file.getPath();
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }

    static ReleaseFile of(Binary binary, KubernetesVersion kubernetes, Platform platform) {
        String version = "v" + binary.version(kubernetes);
        return switch (binary) {
            case ETCD -> {
                String release = GITHUB_HOST + "/etcd-io/etcd/releases/download/" + version + "/";
                String folder = "etcd-" + version + "-" + platform;
                yield file(release + folder + ".tar.gz", release + "SHA256SUMS", Optional.of(folder + "/etcd"));
            }
            case KWOK -> {
                // kwok publishes no checksum file; GitHub computes one for each file of a release.
                String repository = "/kubernetes-sigs/kwok/releases/";
                yield file(
                        GITHUB_HOST + repository + "download/" + version + "/kwok-" + platform,
                        "https://api.github.com/repos" + repository + "tags/" + version,
                        Optional.empty());
            }
            default -> {
                String address = KUBERNETES_HOST + "/release/" + version + "/bin/" + platform.os() + "/"
                        + platform.arch() + "/" + binary.fileName();
                yield file(address, address + ".sha256", Optional.empty());
            }
        };
    }

    private static ReleaseFile file(String file, String checksums, Optional<String> inArchive) {
        return new ReleaseFile(URI.create(file), URI.create(checksums), inArchive);
    }
}
