package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The expected node of one more machine, for a pool that names a size. */
class TemplatesTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void beforeAnyMachineTheSizeTells() {
        pool(Map.of());

        assertThat(template())
                .hasToString("cpu 5840m, ephemeral-storage 16Gi, memory 50797Mi, nvidia.com/gpu 1, pods 110");
    }

    @Test
    void aMachineThatRunsBeatsTheEstimateInBothDirections() {
        pool(Map.of());
        node("5900m", "54Gi", "60");

        assertThat(template()).hasToString("cpu 5900m, memory 54Gi, nvidia.com/gpu 1, pods 60");
    }

    @Test
    void whatWasStatedIsNotRaised() {
        pool(Map.of("memory", new Quantity("52Gi")));
        node("5900m", "54Gi", "60");

        assertThat(template()).hasToString("cpu 5900m, memory 52Gi, nvidia.com/gpu 1, pods 60");
    }

    @Test
    void storageIsAssumedAndHugePagesAreNoneUntilANodeTells() {
        pool(Map.of());
        assertThat(template().get("ephemeral-storage")).isEqualTo(16L << 30);
        assertThat(template().get("hugepages-2Mi")).isZero();

        node("5900m", "54Gi", "60", "ephemeral-storage", "100Gi", "hugepages-2Mi", "1Gi");
        assertThat(template().get("ephemeral-storage")).isEqualTo(100L << 30);
        assertThat(template().get("hugepages-2Mi")).isEqualTo(1L << 30);
    }

    @Test
    void storageThatWasStatedIsNotRaised() {
        pool(Map.of("ephemeral-storage", new Quantity("50Gi")));
        assertThat(template().get("ephemeral-storage")).isEqualTo(50L << 30);

        node("5900m", "54Gi", "60", "ephemeral-storage", "100Gi");
        assertThat(template().get("ephemeral-storage")).isEqualTo(50L << 30);
    }

    @Test
    void whatTheGpuOperatorPutsOnMachinesWithGpusCountsThoughNobodyPromisesItsLabels() {
        pool(Map.of());
        testCluster
                .daemonSet("exporter", Map.of("nvidia.com/gpu.deploy.dcgm-exporter", "true"), "500m")
                .daemonSet("of-another-kind", Map.of("amd.com/gpu.present", "true"), "500m");

        assertThat(template().get("cpu")).isEqualTo(5340);
    }

    private void pool(Map<String, Quantity> stated) {
        var promise = new PromiseSpec(Map.of("gpu", "true"), null, stated, "Standard_NC6", null);
        var provider = new ProviderSpec(null, null, null, new ProviderSpec.Kwok(null, null, null, null));
        testCluster.pools.put(
                "p",
                new TrainingPoolSpec(provider, CapacityType.ON_DEMAND, null, null, null, promise, null, null, null));
        testCluster.cloud("p", 0);
    }

    private void node(String cpu, String memory, String pods, String... more) {
        var real = new HashMap<>(Map.of(
                "cpu", new Quantity(cpu),
                "memory", new Quantity(memory),
                "pods", new Quantity(pods),
                "nvidia.com/gpu", new Quantity("1")));
        for (int i = 0; i < more.length; i += 2) {
            real.put(more[i], new Quantity(more[i + 1]));
        }
        testCluster
                .node("n", "p", node -> node.editStatus().withAllocatable(real).endStatus())
                .cloud("p", 1, SnapshotFixture.machine("p", "n", State.RUNNING, Objects.NOON));
    }

    private Resources template() {
        return testCluster.snapshot().pools().get("p").template().allocatable();
    }
}
