package dev.trainyard.local.binaries;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class GoBuildTest {
    private static final EnumSet<Binary> ALL = EnumSet.allOf(Binary.class);

    @TempDir
    Path directory;

    private Path into;
    private Path calls;

    @BeforeEach
    void prepare() throws Exception {
        into = Files.createDirectories(directory.resolve("into"));
        calls = directory.resolve("calls");
    }

    @Test
    void buildsKubernetesFromTheModuleOfItsVersionAndTheRestFromTheMainOne() throws Exception {
        assertThat(go("go1.26.1", "").supply(KubernetesVersion.OLDER, ALL, into))
                .isEmpty();

        assertThat(ControlPlaneBinaries.missingIn(into)).isEmpty();
        assertThat(Files.readString(calls).lines().filter(line -> line.contains(" build ")))
                .satisfiesExactly(
                        kubernetes -> assertThat(kubernetes)
                                .contains("-modfile=go-1.32.mod", "gitVersion=v1.32.2", "gitMinor=32")
                                .endsWith("k8s.io/kubernetes/cmd/kube-apiserver"
                                        + " k8s.io/kubernetes/cmd/kube-controller-manager"
                                        + " k8s.io/kubernetes/cmd/kube-scheduler k8s.io/kubernetes/cmd/kubectl"),
                        others -> assertThat(others)
                                .contains("-modfile=go.mod")
                                .endsWith("go.etcd.io/etcd/server/v3 sigs.k8s.io/kwok/cmd/kwok"));
    }

    @Test
    void buildsOnlyWhatIsMissing() throws Exception {
        assertThat(go("go1.26.1", "").supply(KubernetesVersion.CURRENT, Set.of(Binary.KWOK), into))
                .isEmpty();

        assertThat(into).isDirectoryContaining("glob:**/kwok").isDirectoryNotContaining("glob:**/etcd");
        assertThat(Files.readString(calls).lines().filter(line -> line.contains(" build ")))
                .hasSize(1);
    }

    @Test
    void saysThatGoIsTooOld() throws Exception {
        Optional<String> whyNot = go("go1.22.3", "").supply(KubernetesVersion.CURRENT, ALL, into);

        assertThat(whyNot.orElseThrow())
                .startsWith("Go 1.26 or newer is needed; ")
                .endsWith(" says: go1.22.3");
    }

    @Test
    void saysWhyTheCompilerFailed() throws Exception {
        Optional<String> whyNot =
                go("go1.26.1", "echo 'proxy: connection refused'; exit 1").supply(KubernetesVersion.CURRENT, ALL, into);

        assertThat(whyNot).hasValue("failed: proxy: connection refused");
        assertThat(ControlPlaneBinaries.missingIn(into)).isEqualTo(ALL);
    }

    @ParameterizedTest
    @CsvSource({"go1.26.8,true", "go1.27rc1,true", "go2.0,true", "go1.9,false", "go1.25.9,false", "oops,false"})
    void comparesVersionsAsNumbers(String found, boolean enough) {
        assertThat(GoCommand.isAtLeast(found, "1.26")).isEqualTo(enough);
    }

    /** Returns a build with a fake go command, which logs its arguments and creates the same files as the real one. */
    private GoBuild go(String version, String insteadOfBuilding) throws Exception {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        FakeBinaries.go(bin.resolve("go"), calls, version, insteadOfBuilding + """

                out=
                for argument; do
                  case "$argument" in
                  */out/) out=$argument;;
                  */server/v3) echo > "$out/server"; chmod +x "$out/server";;
                  *.io/*/cmd/*) echo > "$out/${argument##*/}"; chmod +x "$out/${argument##*/}";;
                  esac
                done
                """);
        return new GoBuild(Map.of("PATH", bin.toString()), ProgressListener.silent());
    }
}
