package dev.trainyard.scaler.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.audit.AuditFinding.LeftAlone;
import dev.trainyard.scaler.audit.AuditFinding.NotCompleted;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditTest {

    private static final String GPU = "nvidia.com/gpu";
    private static final Map<String, TrainingPoolSpec> POOLS =
            Map.of("pool", Objects.spot(4).spec());
    private static final TrainingTierSpec FOR_ONE_GPU = TrainingTierSpec.builder(List.of("pool"))
            .fallbackAfter("3m")
            .defaultFor(new DefaultFor(new GpuRange(1, 1)))
            .build();
    private static final TrainingTierSpec NO_DEFAULT =
            TrainingTierSpec.builder(List.of("pool")).fallbackAfter("3m").build();

    private final Map<String, NamespaceFacts> namespaces = new HashMap<>(Map.of("team", NamespaceFacts.NONE));
    private final List<String> asked = new ArrayList<>();

    @Test
    void findsAGpuPodWithoutTheMark() {
        assertThat(finding(gpuPod()))
                .hasValueSatisfying(
                        finding -> assertThat(finding)
                                .isEqualTo(
                                        new NotCompleted(
                                                "team/train",
                                                "the webhook did not complete this pod (the webhook was down or failed, or the webhook or the tier"
                                                        + " was created after the pod): the scheduler, tolerations, node affinity and driver of tier light are"
                                                        + " missing. If the pod runs correctly, leave it; otherwise delete it, and its Job creates it again")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pending", "Running", "Unknown"})
    void findsItWhateverItsPhaseUntilItHasEnded(String phase) {
        assertThat(isMissed(inPhase(phase))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Succeeded", "Failed"})
    void forgetsAPodThatHasEnded(String phase) {
        assertThat(finding(inPhase(phase))).isEmpty();
    }

    @Test
    void forgetsAPodThatIsBeingDeletedAsItsEventSays() {
        var pod = edited(gpuPod())
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T12:00:00Z")
                .endMetadata();
        assertThat(finding(pod.build())).isEmpty();
    }

    @Test
    void leavesAPodThatBearsTheMark() {
        assertThat(finding(annotated(Names.INJECTED, "tier light"))).isEmpty();
    }

    @Test
    void leavesAPodThatAsksForNoGpuAndNamesNoTier() {
        assertThat(finding(Objects.waiting("train", null, "cpu", "1"))).isEmpty();
        assertThat(finding(Objects.waiting("train", null, GPU, "0"))).isEmpty();
    }

    @Test
    void findsAPodWithoutGpuThatNamesATier() {
        var pod = edited(Objects.waiting("train", null, "cpu", "1"))
                .editMetadata()
                .addToAnnotations(Names.TIER, "named")
                .endMetadata();
        assertThat(finding(pod.build()))
                .hasValueSatisfying(finding -> assertThat(finding.toString()).contains("of tier named "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvidia.com/gpu", "alpha.kubernetes.io/nvidia-gpu"})
    void findsGpusUnderEachNameAndInEachPlace(String name) {
        var one = Map.of(name, new Quantity("1"));
        var inLimits = new ContainerBuilder()
                .withName("main")
                .withResources(new ResourceRequirementsBuilder().withLimits(one).build())
                .build();
        var inRequests = new ContainerBuilder()
                .withName("main")
                .withResources(
                        new ResourceRequirementsBuilder().withRequests(one).build())
                .build();
        var plain = new ContainerBuilder().withName("main").build();
        var sidecar = new ContainerBuilder(inLimits).withRestartPolicy("Always").build();

        var pod = edited(gpuPod());
        assertThat(isMissed(pod.editSpec().withContainers(inLimits).endSpec().build()))
                .isTrue();
        assertThat(isMissed(pod.editSpec().withContainers(inRequests).endSpec().build()))
                .isTrue();
        assertThat(isMissed(pod.editSpec()
                        .withContainers(plain)
                        .withInitContainers(inRequests)
                        .endSpec()
                        .build()))
                .isTrue();
        assertThat(isMissed(pod.editSpec().withInitContainers(sidecar).endSpec().build()))
                .isTrue();
        assertThat(isMissed(pod.editSpec().withInitContainers(plain).endSpec().build()))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kube-system", "yard"})
    void leavesTheNamespacesThatTheWebhookLeavesAlone(String namespace) {
        namespaces.put(namespace, NamespaceFacts.NONE);
        assertThat(leftAlone(in(namespace)))
                .isEqualTo("namespace %s is excluded from all changes".formatted(namespace));
    }

    @Test
    void leavesMirrorPodsAndThoseOfDaemonSets() {
        assertThat(leftAlone(annotated("kubernetes.io/config.mirror", "x"))).contains("mirror pod");
        var daemon = edited(gpuPod())
                .editMetadata()
                .editFirstOwnerReference()
                .withKind("DaemonSet")
                .endOwnerReference()
                .endMetadata();
        assertThat(leftAlone(daemon.build())).contains("DaemonSet");
    }

    @Test
    void leavesAPodThatOptedOutItselfOrByItsNamespace() {
        assertThat(leftAlone(annotated(Names.INJECT, "false"))).isEqualTo("annotation trainyard.dev/inject: \"false\"");

        namespaces.put("team", new NamespaceFacts(Map.of(Names.INJECT, "false"), Map.of()));
        assertThat(leftAlone(gpuPod())).contains("of namespace team");
        assertThat(isMissed(annotated(Names.INJECT, "true")))
                .as("the pod's own word counts before its namespace's")
                .isTrue();
    }

    @Test
    void leavesAPodThatNoDefaultTierIsForAndSaysWhichThereAre() {
        assertThat(leftAlone(Objects.waiting("train", null, GPU, "2")))
                .isEqualTo(
                        "asks for 2 GPUs, but no tier is the default for that number: name a tier in annotation trainyard.dev/tier;"
                                + " default tiers: light (1 to 1)");
    }

    @Test
    void goesByTheTierOfTheNamespace() {
        namespaces.put("team", new NamespaceFacts(Map.of(Names.TIER, "named"), Map.of()));
        assertThat(finding(Objects.waiting("train", null, GPU, "2")))
                .hasValueSatisfying(finding -> assertThat(finding.toString()).contains("of tier named "));
    }

    @Test
    void findsAPodThatTheWebhookWouldHaveRefused() {
        assertThat(finding(annotated(Names.TIER, "no-such")))
                .hasValueSatisfying(finding -> assertThat(((NotCompleted) finding).message())
                        .contains(
                                "would have refused it: annotation trainyard.dev/tier: there is no TrainingTier 'no-such'; "
                                        + "tiers that can be used: light, named")
                        .endsWith("otherwise fix the problem, delete the pod, and its Job creates it again"));
    }

    @Test
    void saysToCreateAPodAgainThatNothingElseWouldMake() {
        var pod = edited(gpuPod()).editMetadata().withOwnerReferences().endMetadata();
        assertThat(finding(pod.build()))
                .hasValueSatisfying(finding ->
                        assertThat(((NotCompleted) finding).message()).endsWith("delete it, and create it again"));
    }

    @Test
    void findsNothingOutBeforeTheNamespaceIsKnown() {
        assertThat(finding(in("new"))).isEmpty();
        namespaces.put("new", NamespaceFacts.NONE);
        assertThat(isMissed(in("new"))).isTrue();
    }

    @Test
    void asksForANamespaceOnceAndOnlyForPodsThatMatter() {
        namespaces.put("other", NamespaceFacts.NONE);
        var pods = new ArrayList<Pod>();
        for (int i = 0; i < 10; i++) {
            pods.add(named(gpuPod(), "train-" + i));
            pods.add(named(in("unknown"), "unknown-" + i));
            pods.add(edited(named(in("other"), "done-" + i))
                    .editMetadata()
                    .addToAnnotations(Names.INJECTED, "tier light")
                    .endMetadata()
                    .build());
        }

        assertThat(audit(pods).notCompleted()).hasSize(10);
        assertThat(asked).containsExactlyInAnyOrder("team", "unknown");
    }

    @Test
    void aPodThatCannotBeReadStopsNoOther() {
        var odd = named(gpuPod(), "odd");
        odd.getSpec().getContainers().get(0).getResources().setRequests(Map.of(GPU, new Quantity("many")));
        var bare = named(gpuPod(), "bare");
        bare.setSpec(null);

        var withoutText = named(gpuPod(), "without-text");
        withoutText.getMetadata().setAnnotations(new HashMap<>());
        withoutText.getMetadata().getAnnotations().put("note", null);

        assertThat(audit(List.of(odd, bare, withoutText, gpuPod())).notCompleted())
                .containsOnlyKeys("uid-train");
    }

    private Optional<AuditFinding> finding(Pod pod) {
        return audit(List.of(pod)).of("uid-train");
    }

    private boolean isMissed(Pod pod) {
        return finding(pod).filter(NotCompleted.class::isInstance).isPresent();
    }

    private String leftAlone(Pod pod) {
        return finding(pod).map(finding -> ((LeftAlone) finding).why()).orElse("");
    }

    private Audit audit(List<Pod> pods) {
        asked.clear();
        var catalogue = Catalogue.of(POOLS, Map.of("light", FOR_ONE_GPU, "named", NO_DEFAULT));
        return Audit.of(
                pods,
                namespace -> {
                    asked.add(namespace);
                    return Optional.ofNullable(namespaces.get(namespace));
                },
                catalogue,
                "yard");
    }

    private static Pod gpuPod() {
        return Objects.waiting("train", null, GPU, "1");
    }

    private static PodBuilder edited(Pod pod) {
        return new PodBuilder(pod);
    }

    private static Pod annotated(String name, String value) {
        return edited(gpuPod())
                .editMetadata()
                .addToAnnotations(name, value)
                .endMetadata()
                .build();
    }

    private static Pod in(String namespace) {
        return edited(gpuPod())
                .editMetadata()
                .withNamespace(namespace)
                .endMetadata()
                .build();
    }

    private static Pod named(Pod pod, String name) {
        return edited(pod)
                .editMetadata()
                .withName(name)
                .withUid("uid-" + name)
                .endMetadata()
                .build();
    }

    private static Pod inPhase(String phase) {
        return edited(gpuPod()).editStatus().withPhase(phase).endStatus().build();
    }
}
