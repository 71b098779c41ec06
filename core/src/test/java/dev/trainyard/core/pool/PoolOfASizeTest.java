package dev.trainyard.core.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.MachineSizes;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoolOfASizeTest {

    private static final String POOL = """
            provider: {azureScaleSet: {subscriptionId: s, resourceGroup: g, name: n}}
            capacityType: spot
            promise: %s
            """;

    @Test
    void theSizeFillsInWhatThePromiseDoesNotState() {
        var pool = pool("{instanceType: Standard_NC6s_v3}");

        assertThat(pool.promise().allocatable())
                .isEqualTo(MachineSizes.builtIn()
                        .find("Standard_NC6s_v3")
                        .orElseThrow()
                        .allocatable());
        assertThat(pool.promisedGpus()).isEqualTo(1);
        assertThat(pool.gpu()).hasToString("Tesla-V100-PCIE-16GB with 16Gi");
        assertThat(pool.estimated()).containsExactlyInAnyOrder("cpu", "memory", "nvidia.com/gpu", "pods");
    }

    @Test
    void whatIsStatedIsTakenAsItIs() {
        var pool = pool(
                "{instanceType: Standard_NC6, allocatable: {memory: 55Gi, pods: '30', rdma: '1'}, gpu: {memory: 11Gi}}");

        assertThat(pool.promise().allocatable())
                .hasToString("cpu 5840m, memory 55Gi, nvidia.com/gpu 1, pods 30, rdma 1");
        assertThat(pool.gpu()).hasToString("Tesla-K80 with 11Gi");
        assertThat(pool.estimated()).containsExactlyInAnyOrder("cpu", "nvidia.com/gpu");
    }

    @Test
    void noneIsAStatementToo() {
        assertThat(pool("{instanceType: Standard_NC6, allocatable: {alpha.kubernetes.io/nvidia-gpu: '0'}}")
                        .promisedGpus())
                .isZero();
    }

    @Test
    void labelsOfAGpuGoBeforeTheSize() {
        assertThat(pool("{instanceType: Standard_NC6, labels: {nvidia.com/gpu.memory: '11441'}}")
                        .gpu()
                        .memory())
                .hasValue(11441L << 20);
    }

    @Test
    void withoutASizeNothingIsEstimated() {
        assertThat(pool("{allocatable: {cpu: '4'}}").estimated()).isEmpty();
    }

    @Test
    void anUnknownSizeMakesThatPoolAloneInvalidAndSaysWhatToDo() throws JsonProcessingException {
        var catalogue = Catalogue.of(
                Map.of("good", spec("{instanceType: Standard_NC6}"), "odd", spec("{instanceType: Standard_NC6s_v9}")),
                Map.of("tier", new YAMLMapper().readValue("pools: [odd, good]", TrainingTierSpec.class)));

        assertThat(catalogue.pools()).containsOnlyKeys("good");
        assertThat(catalogue.problems())
                .contains(new Problem(
                        "TrainingPool",
                        "odd",
                        "spec.promise.instanceType: 'Standard_NC6s_v9' is not a known machine size;"
                                + " similar sizes: Standard_NC6s_v2, Standard_NC6s_v3;"
                                + " state spec.promise.allocatable with cpu, memory and, for GPU machines, "
                                + "nvidia.com/gpu; see docs/troubleshooting.md#unknown-size"));
    }

    @Test
    void anUnknownSizeMayBeNamedWhereTheAmountsAreStated() {
        var pool = pool("{instanceType: Standard_NX1, allocatable: {cpu: '4', memory: 16Gi}}");

        assertThat(pool.promise().allocatable()).hasToString("cpu 4, memory 16Gi, pods 110");
        assertThat(pool.estimated()).isEmpty();
    }

    @Test
    void aSizeOfAnotherCloudIsAMistake() {
        assertThatThrownBy(() -> pool("{instanceType: p3.2xlarge}"))
                .hasMessage(
                        "spec.promise.instanceType: 'p3.2xlarge' is a machine size of AWS, but spec.provider.azureScaleSet belongs to Azure");
    }

    @Test
    void sizesMayComeFromElsewhere() {
        var told = new MachineSize(Cloud.AZURE, "Standard_NX1", 4, 16L << 30, 0, GpuKind.UNKNOWN, 30);
        var sizes = new MachineSizes() {
            @Override
            public Optional<MachineSize> find(String name) {
                return Optional.of(told).filter(size -> size.name().equals(name));
            }

            @Override
            public Collection<String> names() {
                return List.of(told.name());
            }
        };

        var pool = Pool.of("p", spec("{instanceType: Standard_NX1}"), sizes);

        assertThat(pool.promise().allocatable()).isEqualTo(told.allocatable());
    }

    private static Pool pool(String promise) {
        return Pool.of("p", spec(promise));
    }

    private static TrainingPoolSpec spec(String promise) {
        try {
            return new YAMLMapper().readValue(POOL.formatted(promise), TrainingPoolSpec.class);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
