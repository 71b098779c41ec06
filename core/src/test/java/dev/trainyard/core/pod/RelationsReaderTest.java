package dev.trainyard.core.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RelationsReaderTest {

    private static final LabelRequirement IS_WORKER = new LabelRequirement("app", "In", List.of("worker"));

    @Test
    void readsRequiredTermsAndLeavesPreferredOnesAlone() {
        var relations = relations("""
                affinity:
                  podAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - {topologyKey: zone, labelSelector: {matchLabels: {app: worker}}}
                    preferredDuringSchedulingIgnoredDuringExecution:
                      - {weight: 1, podAffinityTerm: {topologyKey: rack, labelSelector: {}}}
                  podAntiAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - topologyKey: kubernetes.io/hostname
                        labelSelector: {matchExpressions: [{key: app, operator: Exists}]}
                """);
        assertThat(relations.affinity())
                .containsExactly(new PodTerm(PodSet.in("train", new Selector(List.of(IS_WORKER))), "zone"));
        assertThat(relations.antiAffinity())
                .containsExactly(new PodTerm(
                        PodSet.in("train", new Selector(List.of(new LabelRequirement("app", "Exists", List.of())))),
                        "kubernetes.io/hostname"));
        assertThat(relations.namespace()).isEqualTo("train");
        assertThat(relations.labels()).containsEntry("app", "worker");
    }

    @Test
    void aSelectorThatIsAbsentSelectsNothingAndAnEmptyOneEverything() {
        var relations = relations("""
                affinity:
                  podAntiAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - {topologyKey: zone}
                      - {topologyKey: zone, labelSelector: {}}
                """);
        assertThat(relations.antiAffinity())
                .extracting(term -> term.pods().selector())
                .containsExactly(Selector.NOTHING, Selector.EVERYTHING);
        assertThat(Selector.NOTHING.matches(Map.of("", "x"))).isFalse();
    }

    @Test
    void looksIntoItsOwnNamespaceUnlessTheTermSaysOtherwise() {
        var relations = relations("""
                affinity:
                  podAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - {topologyKey: zone, labelSelector: {}}
                      - {topologyKey: zone, labelSelector: {}, namespaces: [a, b]}
                      - {topologyKey: zone, labelSelector: {}, namespaceSelector: {}}
                      - {topologyKey: zone, labelSelector: {}, namespaces: [a], namespaceSelector: {matchLabels: {team: x}}}
                """);
        var team = new Selector(List.of(new LabelRequirement("team", "In", List.of("x"))));
        assertThat(relations.affinity())
                .extracting(PodTerm::pods)
                .containsExactly(
                        PodSet.in("train", Selector.EVERYTHING),
                        new PodSet(Set.of("a", "b"), Selector.NOTHING, Selector.EVERYTHING),
                        new PodSet(Set.of(), Selector.EVERYTHING, Selector.EVERYTHING),
                        new PodSet(Set.of("a"), team, Selector.EVERYTHING));
        assertThat(relations.unmodelled()).isEmpty();
    }

    @Test
    void saysThatLabelsOfNamespacesAreNotKnownInsteadOfGuessing() {
        var relations = RelationsReader.relationsOf(pod("""
                        affinity:
                          podAffinity:
                            requiredDuringSchedulingIgnoredDuringExecution:
                              - {topologyKey: zone, labelSelector: {}, namespaceSelector: {matchLabels: {team: x}}}
                              - {topologyKey: zone, labelSelector: {}, namespaceSelector: {}}
                        """), namespace -> Optional.empty());
        assertThat(relations.affinity()).hasSize(1);
        assertThat(relations.unmodelled()).containsExactly("pod affinity with a namespaceSelector");
    }

    @Test
    void writesLabelKeysIntoTheSelectorUnlessAnApiServerHasDoneSo() {
        var unwritten = relations("""
                affinity:
                  podAntiAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - topologyKey: zone
                        labelSelector: {}
                        matchLabelKeys: [app, absent]
                        mismatchLabelKeys: [hash]
                """);
        var written = relations("""
                affinity:
                  podAntiAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - topologyKey: zone
                        labelSelector:
                          matchExpressions:
                            - {key: hash, operator: NotIn, values: [h1]}
                            - {key: app, operator: In, values: [worker]}
                        matchLabelKeys: [app, absent]
                        mismatchLabelKeys: [hash]
                """);
        assertThat(unwritten).isEqualTo(written);
        assertThat(unwritten.antiAffinity().get(0).pods().selector())
                .isEqualTo(new Selector(List.of(IS_WORKER, new LabelRequirement("hash", "NotIn", List.of("h1")))));
    }

    @Test
    void aSelectorThatHasBeenWrittenIntoStaysWhenTheLabelsChangeLater() {
        var relations = relations("""
                affinity:
                  podAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      - topologyKey: zone
                        labelSelector: {matchExpressions: [{key: app, operator: In, values: [before]}]}
                        matchLabelKeys: [app]
                """);
        assertThat(relations.affinity().get(0).pods().selector())
                .isEqualTo(new Selector(List.of(new LabelRequirement("app", "In", List.of("before")))));
    }

    @Test
    void readsTopologySpreadThatMustBeKept() {
        var relations = relations("""
                topologySpreadConstraints:
                  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: worker}}}
                  - maxSkew: 1
                    minDomains: 3
                    topologyKey: kubernetes.io/hostname
                    whenUnsatisfiable: DoNotSchedule
                    labelSelector: {}
                    matchLabelKeys: [app]
                    nodeAffinityPolicy: Ignore
                    nodeTaintsPolicy: Honor
                  - {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}
                """);
        assertThat(relations.spread())
                .containsExactly(
                        new SpreadConstraint("zone", new Selector(List.of(IS_WORKER)), 2, 1, true, false),
                        new SpreadConstraint(
                                "kubernetes.io/hostname", new Selector(List.of(IS_WORKER)), 1, 3, false, true));
    }

    @Test
    void saysWhatATermLacks() {
        assertThatThrownBy(() -> relations("""
                        affinity:
                          podAffinity:
                            requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}}]
                        """)).hasMessage("a term of the pod affinity lacks its topologyKey");
    }

    private static PodRelations relations(String spec) {
        return RelationsReader.relationsOf(pod(spec), namespace -> Optional.of(Map.of("team", "x")));
    }

    private static Pod pod(String spec) {
        try {
            return new YAMLMapper().readValue("""
                    metadata: {name: p, namespace: train, labels: {app: worker, hash: h1}}
                    spec:
                    """ + spec.indent(2), Pod.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
