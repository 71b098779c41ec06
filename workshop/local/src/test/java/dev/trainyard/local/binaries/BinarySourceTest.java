package dev.trainyard.local.binaries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinarySourceTest {
    private static final KubernetesVersion VERSION = KubernetesVersion.CURRENT;

    @TempDir
    Path directory;

    private final List<String> asked = new ArrayList<>();

    @Test
    void prefersTheGivenDirectory() {
        Path given = FakeBinaries.directory(directory.resolve("given"), "1.36.9");
        Path assets = FakeBinaries.directory(directory.resolve("assets"), "1.36.1");

        ControlPlaneBinaries found = source(
                        Map.of("TRAINYARD_CONTROL_PLANE", given.toString(), "KUBEBUILDER_ASSETS", assets.toString()))
                .find(VERSION);

        assertThat(found).isEqualTo(new ControlPlaneBinaries(given, VERSION, "TRAINYARD_CONTROL_PLANE"));
    }

    @Test
    void goesOnToTheNextWhenAGivenDirectoryWillNotDo() {
        Path older = FakeBinaries.directory(directory.resolve("older"), "1.32.2");
        Path assets = FakeBinaries.directory(directory.resolve("assets"), "1.36.1");

        ControlPlaneBinaries found = source(
                        Map.of("TRAINYARD_CONTROL_PLANE", older.toString(), "KUBEBUILDER_ASSETS", assets.toString()))
                .find(VERSION);

        assertThat(found.directory()).isEqualTo(assets);
    }

    @Test
    void asksEachSupplyForWhatIsStillMissingUntilNothingIs() {
        BinarySource source = source(
                Map.of(),
                supply("downloads", Set.of(Binary.KUBECTL, Binary.ETCD)),
                supply("go build", Set.of(Binary.values())),
                supply("never", Set.of()));

        assertThat(source.find(VERSION).origin()).isEqualTo("user cache");
        assertThat(source.find(VERSION).path(Binary.KUBECTL)).exists();
        assertThat(asked).containsExactly("downloads 6", "go build 4");
    }

    @Test
    void saysAllThatWasTriedAndWhatToDo() throws Exception {
        Path assets = Files.createDirectories(directory.resolve("assets"));
        FakeBinaries.write(assets, List.of(Binary.ETCD, Binary.KUBE_APISERVER, Binary.KUBECTL), "1.36.1");
        BinarySource source = source(
                Map.of("KUBEBUILDER_ASSETS", assets.toString()),
                supply("download", Set.of(Binary.ETCD)),
                supply("go build", Set.of()));

        assertThatThrownBy(() -> source.find(VERSION))
                .isInstanceOf(BinariesUnavailableException.class)
                .hasMessage("""
                        The programs of a local Kubernetes 1.36.3 control plane are not available; missing: kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kwok.
                        Tried, in this order:
                          - TRAINYARD_CONTROL_PLANE: not set
                          - KUBEBUILDER_ASSETS: %s lacks kube-controller-manager, kube-scheduler, kwok
                          - user cache: not in %s
                          - download: reason of download
                          - go build: reason of go build
                        Do one of these, and run the command again:
                          - install Go 1.26 or newer (https://go.dev/dl/) with access to its module proxy: the programs are compiled once, in some minutes
                          - give access to https://dl.k8s.io and https://github.com, or set TRAINYARD_DOWNLOAD_BASE to a mirror of them
                          - set TRAINYARD_CONTROL_PLANE to a directory that holds etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kwok
                        More in docs/local-control-plane.md.""".formatted(assets, cache().location(VERSION)));
    }

    @Test
    void saysWhichVersionAGivenDirectoryHas() {
        Path older = FakeBinaries.directory(directory.resolve("older"), "1.32.2");

        assertThatThrownBy(() -> source(Map.of("TRAINYARD_CONTROL_PLANE", older.toString()))
                        .find(VERSION))
                .hasMessageContaining("Kubernetes 1.36 is wanted, but " + older.resolve("kube-apiserver")
                        + " --version says \"Kubernetes v1.32.2\"");
        assertThat(ConfiguredBinaryDirectory.whyNot(older, KubernetesVersion.OLDER))
                .isEmpty();
    }

    @Test
    void takesEtcdFromThePathWhenNothingElseIsMissing() throws Exception {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        FakeBinaries.script(bin.resolve("etcd"), "echo etcd");
        EtcdOnPath onPath = new EtcdOnPath(Map.of("PATH", "/does/not/exist:" + bin));

        assertThat(onPath.supply(VERSION, Set.of(Binary.ETCD), directory)).isEmpty();
        assertThat(directory.resolve("etcd")).isExecutable();
        assertThat(onPath.supply(VERSION, Set.of(Binary.ETCD, Binary.KWOK), directory))
                .isPresent();
        assertThat(new EtcdOnPath(Map.of("PATH", "")).supply(VERSION, Set.of(Binary.ETCD), directory))
                .hasValueSatisfying(reason -> assertThat(reason).contains("etcd-server"));
    }

    private BinarySource source(Map<String, String> environment, BinaryProvider... supplies) {
        return new BinarySource(environment, cache(), List.of(supplies));
    }

    private BinaryCache cache() {
        return new BinaryCache(directory.resolve("cache"), new Platform("linux", "amd64"), ProgressListener.silent());
    }

    /** Returns a source with these binaries only. */
    private BinaryProvider supply(String name, Set<Binary> available) {
        return new BinaryProvider() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) {
                asked.add(name + " " + missing.size());
                FakeBinaries.write(
                        into, missing.stream().filter(available::contains).toList(), version.full());
                return available.containsAll(missing) ? Optional.empty() : Optional.of("reason of " + name);
            }
        };
    }
}
