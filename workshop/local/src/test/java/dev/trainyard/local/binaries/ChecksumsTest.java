package dev.trainyard.local.binaries;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChecksumsTest {
    private static final String A = "a".repeat(64);
    private static final String B = "b".repeat(64);

    @Test
    void readsASumAlone() {
        assertThat(new Checksums(A + "\n").of("kubectl")).hasValue(A);
    }

    @Test
    void readsALineOfItsFile() {
        Checksums checksums =
                new Checksums(A + "  etcd-v3-linux-arm64.tar.gz\n" + B + " *etcd-v3-linux-amd64.tar.gz\n");

        assertThat(checksums.of("etcd-v3-linux-amd64.tar.gz")).hasValue(B);
        assertThat(checksums.of("v3-linux-amd64.tar.gz")).isEmpty();
    }

    @Test
    void readsTheDigestOfItsFileInAGithubRelease() {
        Checksums checksums = new Checksums("""
                {"name": "v0.8.0", "assets": [
                  {"name": "kwok-linux-arm64", "size": 1, "digest": "sha256:%s"},
                  {"name": "kwok-linux-amd64", "uploader": {"login": "x"}, "digest": "sha256:%s"},
                  {"name": "kwok-without", "digest": null},
                  {"name": "kwokctl-linux-amd64", "digest": "sha256:%s"}]}
                """.formatted(A, B, A));

        assertThat(checksums.of("kwok-linux-amd64")).hasValue(B);
        assertThat(checksums.of("kwok-without")).isEmpty();
        assertThat(checksums.of("none")).isEmpty();
    }

    @Test
    void takesNothingFromAnErrorPage() {
        assertThat(new Checksums("<html>Not found " + A + "</html>").of("kubectl"))
                .isEmpty();
    }
}
