package dev.trainyard.core.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.NodeTerm;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.Toleration;
import dev.trainyard.core.resource.Resources;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FitTest {

    private static final Resources ONE_GPU = Resources.of(Map.of("nvidia.com/gpu", 1L, "pods", 1L));
    private static final NodeShape NODE = new NodeShape(
            "n1",
            Map.of("gpu", "true", "rank", "7"),
            List.of(),
            true,
            Resources.of(Map.of("cpu", 4000L, "nvidia.com/gpu", 1L, "pods", 110L)));

    @Test
    void aPodFitsWhereAllItAsksForIsFree() {
        assertThat(Fit.checkEmpty(pod(Map.of(), List.of(), List.of()), NODE)).isEmpty();
    }

    @Test
    void saysWhatIsLackingInTheSchedulersWords() {
        var full = NODE.allocatable().minus(ONE_GPU);
        assertThat(Fit.check(pod(Map.of(), List.of(), List.of()), NODE, full))
                .contains(new Misfit("Insufficient nvidia.com/gpu", true));
    }

    @Test
    void knowsThatNoPodsLeavingMakesASmallMachineLarge() {
        var big = new PodShape(
                Resources.of("nvidia.com/gpu", 8),
                Map.of(),
                List.of(),
                List.of(),
                Set.of(),
                null,
                GpuRequirement.NONE,
                new TreeSet<>());
        assertThat(Fit.checkEmpty(big, NODE)).contains(new Misfit("Insufficient nvidia.com/gpu", false));
    }

    @Test
    void aCordonedNodeTakesOnlyPodsThatTolerateIt() {
        var cordoned = new NodeShape(NODE.name(), NODE.labels(), List.of(), false, NODE.allocatable());
        assertThat(Fit.checkEmpty(pod(Map.of(), List.of(), List.of()), cordoned))
                .contains(new Misfit("node(s) were unschedulable", false));
        var daemon = pod(Map.of(), List.of(), List.of(new Toleration(null, "Exists", null, null)));
        assertThat(Fit.checkEmpty(daemon, cordoned)).isEmpty();
    }

    @Test
    void everySelectorLabelAndAnyOneTermMustMatch() {
        var zone = new NodeTerm(List.of(new LabelRequirement("zone", "Exists", List.of())), List.of());
        var name = new NodeTerm(List.of(), List.of(new LabelRequirement("metadata.name", "In", List.of("n1"))));
        assertThat(Fit.checkEmpty(pod(Map.of("gpu", "true"), List.of(zone, name), List.of()), NODE))
                .isEmpty();
        assertThat(Fit.checkEmpty(pod(Map.of("gpu", "true"), List.of(zone), List.of()), NODE))
                .isPresent();
        assertThat(Fit.checkEmpty(pod(Map.of("gpu", "false"), List.of(name), List.of()), NODE))
                .isPresent();
    }

    @Test
    void aWishForAKindOfGpuMustBeKnownToBeMet() {
        var wish = GpuRequirement.of(Map.of("trainyard.dev/gpu-memory", "24Gi"));
        var pod = new PodShape(ONE_GPU, Map.of(), List.of(), List.of(), Set.of(), null, wish, new TreeSet<>());
        assertThat(Fit.checkEmpty(pod, NODE)).contains(new Misfit("node(s) with an unknown kind of GPU", false));

        var promised = NODE.promised(new GpuKind(Optional.empty(), OptionalLong.of(32L << 30)), Resources.NONE);
        assertThat(Fit.checkEmpty(pod, promised)).isEmpty();

        var small = NODE.promised(new GpuKind(Optional.empty(), OptionalLong.of(16L << 30)), Resources.NONE);
        assertThat(Fit.checkEmpty(pod, small))
                .contains(new Misfit("node(s) whose GPUs have less memory than requested", false));
    }

    @Test
    void anEmptyTermMatchesNothing() {
        var empty = new NodeTerm(List.of(), List.of());
        assertThat(Fit.checkEmpty(pod(Map.of(), List.of(empty), List.of()), NODE))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "gpu,In,true,true", "gpu,In,false,false", "gpu,NotIn,true,false", "none,NotIn,true,true", "gpu,Exists,,true",
        "none,Exists,,false", "none,DoesNotExist,,true", "gpu,DoesNotExist,,false", "rank,Gt,6,true", "rank,Gt,7,false",
        "rank,Lt,8,true", "gpu,Gt,1,false", "gpu,Unheard,true,false"
    })
    void operatorsMeanWhatTheyMeanToTheScheduler(String key, String operator, String value, boolean matches) {
        var requirement = new LabelRequirement(key, operator, value == null ? List.of() : List.of(value));
        assertThat(requirement.matches(NODE.labels())).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "spot,Equal,yes,NoSchedule,true",
        "spot,Equal,no,NoSchedule,false",
        "spot,Exists,,NoSchedule,true",
        "spot,Exists,,NoExecute,false",
        "spot,Exists,,,true",
        ",Exists,,,true",
        "other,Exists,,,false",
        "spot,,yes,,true",
        ",Equal,yes,,false"
    })
    void tolerationsAreComparedAsTheSchedulerDoes(
            String key, String operator, String value, String effect, boolean tolerates) {
        var taint = new Taint("spot", "yes", "NoSchedule");
        assertThat(new Toleration(key, operator, value, effect).tolerates(taint))
                .isEqualTo(tolerates);
    }

    @ParameterizedTest
    @CsvSource({
        "Lt,951,true",
        "Lt,950,false",
        "Gt,949,true",
        "Gt,950,false",
        "Gt,0949,false",
        "Gt,,false",
        "Lt,many,false"
    })
    void tolerationsCompareNumbersOfTaints(String operator, String value, boolean tolerates) {
        assertThat(new Toleration("sla", operator, value, null).tolerates(new Taint("sla", "950", "NoSchedule")))
                .isEqualTo(tolerates);
        assertThat(new Toleration("sla", operator, value, null).tolerates(new Taint("sla", "high", "NoSchedule")))
                .isFalse();
        assertThat(new Toleration(null, operator, value, null).tolerates(new Taint("sla", "950", "NoSchedule")))
                .isFalse();
    }

    @Test
    void namesTheTaintThatKeepsAPodAway() {
        var tainted = new NodeShape(
                "n1", NODE.labels(), List.of(new Taint("spot", "yes", "NoSchedule")), true, NODE.allocatable());
        assertThat(Fit.checkEmpty(pod(Map.of(), List.of(), List.of()), tainted))
                .contains(new Misfit("node(s) had untolerated taint {spot: yes}", false));
    }

    @Test
    void aSoftTaintKeepsNoPodAway() {
        var tainted = new NodeShape(
                "n1", NODE.labels(), List.of(new Taint("spot", null, "PreferNoSchedule")), true, NODE.allocatable());
        assertThat(Fit.checkEmpty(pod(Map.of(), List.of(), List.of()), tainted)).isEmpty();
    }

    /** A term without requirements matches no node, and must not match one because of the further requirement. */
    @Test
    void aFurtherRequirementHoldsBesideThePodsOwn() {
        var gpu = new LabelRequirement("gpu", "Exists", List.of());
        var ranks = new LabelRequirement("rank", "In", List.of("7", "8"));
        var others = new LabelRequirement("rank", "In", List.of("8"));
        var absent = new NodeTerm(List.of(new LabelRequirement("cpu", "Exists", List.of())), List.of());
        var present = new NodeTerm(List.of(gpu), List.of());
        var none = new NodeTerm(List.of(), List.of());

        for (var terms :
                List.of(List.<NodeTerm>of(), List.of(present), List.of(absent, present), List.of(none, present))) {
            var pod = pod(Map.of(), terms, List.of());
            assertThat(Fit.checkEmpty(pod.requiring(ranks), NODE)).isEmpty();
            assertThat(Fit.checkEmpty(pod.requiring(others), NODE)).isPresent();
        }
        for (var terms : List.of(List.of(absent), List.of(none))) {
            assertThat(Fit.checkEmpty(pod(Map.of(), terms, List.of()).requiring(ranks), NODE))
                    .isPresent();
        }
    }

    private static PodShape pod(Map<String, String> selector, List<NodeTerm> terms, List<Toleration> tolerations) {
        return new PodShape(
                ONE_GPU, selector, terms, tolerations, Set.of(), null, GpuRequirement.NONE, new TreeSet<>());
    }
}
