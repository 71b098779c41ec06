package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangFixture.Members;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RayClusterGangTest {

    private final GangFixture clusters = GangFixture.read("kuberay.yaml");

    /** One head, two groups of two hosts, three of the nine wanted workers, and none of the suspended group. */
    @Test
    void theHeadAndAllWorkersAreOneGang() {
        assertThat(clusters.gangs("train"))
                .containsExactly(
                        new Members("RayCluster team/train: 8, by spec.workerGroupSpecs of RayCluster team/train", 3));
        assertThat(clusters.groups("train"))
                .containsExactly("RayCluster team/train 0f6f4be8-7b43-4c1e-8f5a-6c3b52f0a001");
    }

    @Test
    void theFewestWorkersAreEnoughIfRayScalesTheCluster() {
        assertThat(clusters.gangs("elastic"))
                .containsExactly(new Members(
                        "RayCluster team/elastic: 3, by spec.workerGroupSpecs of RayCluster team/elastic", 2));
    }

    @Test
    void aHeadThatMayBeAloneHasNoGang() {
        assertThat(clusters.gangs("alone")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "replicas, -1, spec.workerGroupSpecs[large].replicas is -1",
        "minReplicas, \"many\", spec.workerGroupSpecs[large].minReplicas is \"many\"",
        "numOfHosts, 1000000, spec.workerGroupSpecs has 2000004 pods"
    })
    void anInvalidFieldIsNamed(String field, String value, String problem) {
        var claim = (OfObject) GangClaim.of(clusters.first("train")).orElseThrow();
        var cluster = clusters.objectOf(claim);
        ((ObjectNode) cluster.at("/spec/workerGroupSpecs/0")).set(field, GangFixture.object(value));

        assertThatThrownBy(() -> claim.reading().apply(cluster))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }
}
