package dev.trainyard.local.binaries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KubernetesVersionTest {

    @ParameterizedTest
    @EnumSource
    void isWhatTheGoModulePins(KubernetesVersion version) {
        assertThat(goModule(version.goModule())).contains("\tk8s.io/kubernetes v" + version.full() + " ");
    }

    @Test
    void pinsEtcdAndKwokAsTheGoModuleDoes() {
        assertThat(goModule("go.mod"))
                .contains("\tgo.etcd.io/etcd/server/v3 v" + Binary.ETCD_VERSION + " ")
                .contains("\tsigs.k8s.io/kwok v" + Binary.KWOK_VERSION + " ");
    }

    @Test
    void isChosenByItsMinorOrFullNumber() {
        assertThat(KubernetesVersion.parse("1.36")).isEqualTo(KubernetesVersion.CURRENT);
        assertThat(KubernetesVersion.parse("1.32.2")).isEqualTo(KubernetesVersion.OLDER);
        assertThatThrownBy(() -> KubernetesVersion.parse("1.3"))
                .hasMessageContaining("\"1.3\"")
                .hasMessageContaining("1.36, 1.32");
    }

    @Test
    void givesEachVersionACacheOfItsOwn() {
        assertThat(GoSources.fingerprint(KubernetesVersion.CURRENT))
                .isNotEqualTo(GoSources.fingerprint(KubernetesVersion.OLDER));
    }

    @Test
    void speaksGoAboutPlatforms() {
        assertThat(Platform.of("Mac OS X", "aarch64")).hasToString("darwin-arm64");
        assertThat(Platform.of("Linux", "x86_64")).hasToString("linux-amd64");
    }

    private static String goModule(String name) {
        return new String(GoSources.read(name), StandardCharsets.UTF_8);
    }
}
