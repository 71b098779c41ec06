package dev.trainyard.extender.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests against an adversary who may create pods: the remembered data of a pod is bounded, whatever its annotations are. */
class HostilePodTest {

    @Test
    void hasNoMoreIndexesOfGpusRememberedThanAnyMachineHasGpus() {
        assertThat(indexes("0,2,5")).containsExactly(0, 2, 5);
        assertThat(indexes(IntStream.range(0, 128).mapToObj(String::valueOf).collect(Collectors.joining(","))))
                .hasSize(128);
        assertThat(indexes(IntStream.range(0, 9999).mapToObj(String::valueOf).collect(Collectors.joining(","))))
                .isEmpty();
        assertThat(indexes("0,".repeat(100_000) + "1")).isEmpty();
    }

    private static List<Integer> indexes(String annotation) {
        return PodFacts.of(new PodBuilder()
                        .withNewMetadata()
                        .addToAnnotations(Names.GPU_INDEX, annotation)
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("main")
                        .endContainer()
                        .endSpec()
                        .build())
                .gpuIndexes();
    }
}
