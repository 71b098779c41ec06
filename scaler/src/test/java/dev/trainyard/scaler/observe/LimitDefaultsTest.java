package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The requests of a DaemonSet's pods after the API server has admitted them. */
class LimitDefaultsTest {

    private static final String SILENT = """
            metadata: {name: agent, namespace: agents}
            spec: {template: {spec: {containers: [{name: agent}]}}}
            """;

    @Test
    void aContainerThatSaysNothingAsksForTheDefault() {
        assertThat(requests(SILENT, "{type: Container, defaultRequest: {cpu: 200m}, default: {cpu: 1, memory: 1Gi}}"))
                .isEqualTo(Map.of("cpu", new Quantity("200m"), "memory", new Quantity("1Gi")));
    }

    @Test
    void aMaximumIsTheDefaultWhereThereIsNoOtherAndAMinimumIsTheLast() {
        assertThat(requests(SILENT, "{type: Container, max: {cpu: 2}, min: {cpu: 10m, memory: 64Mi}}"))
                .isEqualTo(Map.of("cpu", new Quantity("2"), "memory", new Quantity("64Mi")));
    }

    @Test
    void whatAContainerSaysItselfStands() {
        assertThat(requests("""
                        metadata: {name: agent, namespace: agents}
                        spec: {template: {spec: {containers: [
                          {name: agent, resources: {requests: {cpu: 50m}, limits: {memory: 2Gi}}}]}}}
                        """, "{type: Container, default: {cpu: 1, memory: 1Gi}}"))
                .isEqualTo(Map.of("cpu", new Quantity("50m")));
    }

    @Test
    void limitsOfPodsAndOfOtherNamespacesAreNoDefaults() {
        assertThat(requests(SILENT, "{type: Pod, max: {cpu: 2}}")).isEmpty();
        var set = Serialization.unmarshal(SILENT, DaemonSet.class);
        var elsewhere = range("elsewhere", "{type: Container, default: {cpu: 1}}");
        assertThat(LimitDefaults.admitted(List.of(set), List.of(elsewhere))).containsExactly(set);
    }

    @Test
    void malformedObjectsAreLeftToTheirReader() {
        var set = Serialization.unmarshal("metadata: {name: agent, namespace: agents}", DaemonSet.class);
        var empty = Serialization.unmarshal("metadata: {name: limits, namespace: agents}", LimitRange.class);
        assertThat(LimitDefaults.admitted(
                        List.of(set), List.of(empty, range("agents", "{type: Container, default: {cpu: 1}}"))))
                .containsExactly(set);
    }

    private static Map<String, Quantity> requests(String set, String limits) {
        return LimitDefaults.admitted(
                        List.of(Serialization.unmarshal(set, DaemonSet.class)), List.of(range("agents", limits)))
                .get(0)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .get(0)
                .getResources()
                .getRequests();
    }

    private static LimitRange range(String namespace, String limits) {
        return Serialization.unmarshal(
                "metadata: {name: limits, namespace: %s}\nspec: {limits: [%s]}".formatted(namespace, limits),
                LimitRange.class);
    }
}
