package dev.trainyard.core.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.api.TrainingTierSpec.DriverSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverTest {

    @Test
    void isWhereItsVersionSaysOrWhereItsRootSays() {
        assertThat(driver(null, null).root()).isEqualTo("/usr/lib/nvidia-384");
        assertThat(driver("390", null).root()).isEqualTo("/usr/lib/nvidia-390");
        assertThat(driver("390.46", null).root()).isEqualTo("/usr/lib/nvidia-390.46");
        assertThat(driver(null, "/opt/nvidia/").root()).isEqualTo("/opt/nvidia");
    }

    @Test
    void aVersionAndARootExcludeEachOther() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> driver("390", "/opt/nvidia"))
                .withMessage(
                        "spec.driver: version '390' and root '/opt/nvidia' exclude each other: a version stands for"
                                + " /usr/lib/nvidia-VERSION");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../etc", "384/..", "v384", "384 ", "384."})
    void refusesWhatIsNoVersion(String version) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> driver(version, null))
                .withMessage("spec.driver.version: '%s' is not a version such as 384", version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "opt/nvidia", "/opt/../etc", "/opt/.", "/opt//nvidia", "/opt:/nvidia", ".."})
    void refusesARootThatIsNoPlainAbsolutePath(String root) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> driver(null, root))
                .withMessage(
                        "spec.driver.root: '%s' is invalid; expected an absolute path without colons, '.' and '..' of a directory, such"
                                + " as /usr/lib/nvidia-384",
                        root);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lib/relative.so", "/usr/lib/", "/", "/usr/../lib/a.so", "/a:b", ""})
    void refusesALibraryThatIsNoPlainAbsolutePath(String file) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> libraries("/usr/lib/good.so", file))
                .withMessageStartingWith(
                        "spec.driver.extraLibraries[1]: '%s' is invalid; expected an absolute path", file);
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/nvidia/libx.so, /usr/lib/nvidia",
        "/usr/local/nvidia, /usr/local/nvidia/bin",
        "/usr/lib/x86_64-linux-gnu, /usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/opt/a.so/b.so, /opt/a.so"
    })
    void refusesALibraryInsideOrAroundAnotherMount(String file, String other) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> libraries("/opt/a.so", file))
                .withMessage(
                        "spec.driver.extraLibraries[1]: '%s' overlaps with the mounted path %s; a path cannot be mounted"
                                + " inside another",
                        file, other);
    }

    @Test
    void takesALibraryThatIsMountedAnyway() {
        assertThat(libraries(Driver.LIBCUDA, "/usr/lib/nvidia-ml.so", "/usr/lib/nvidia-ml.so")
                        .extraLibraries())
                .hasSize(3);
    }

    private static Driver driver(@Nullable String version, @Nullable String root) {
        return Driver.of(new DriverSpec(DriverMode.HOST_PATH, version, root, null));
    }

    private static Driver libraries(String... files) {
        return Driver.of(new DriverSpec(DriverMode.HOST_PATH, null, null, List.of(files)));
    }
}
