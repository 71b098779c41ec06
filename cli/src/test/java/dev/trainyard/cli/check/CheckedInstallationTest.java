package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.calls.LeaseName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the setting that selects an installation. */
class CheckedInstallationTest {

    @Test
    void leasesAndLayoutFollowTheNamespace() {
        var setting = CheckedInstallation.of("elsewhere", Optional.empty(), "default", "0.1.0");
        assertThat(setting.schedulerLease()).hasToString("elsewhere/trainyard-scheduler");
        assertThat(setting.scalerLease()).hasToString("elsewhere/trainyard-scaler");
        assertThat(setting.hasSchedulerOfItsOwn()).isTrue();

        var beside = CheckedInstallation.of(
                "elsewhere", Optional.of(LeaseName.parse("kube-system/kube-scheduler")), "default", "0.1.0");
        assertThat(beside.schedulerLease()).hasToString("kube-system/kube-scheduler");
        assertThat(beside.hasSchedulerOfItsOwn()).isFalse();
    }

    @Test
    void theChartsNotesNameTheNamespaceOfTheRelease() throws IOException {
        var notes = Path.of(System.getProperty("trainyard.root")).resolve("manifests/chart/templates/NOTES.txt");
        assertThat(Files.readString(notes)).contains("./trainyard check --namespace {{ .Release.Namespace }}\n");
    }
}
