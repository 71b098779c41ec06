package dev.trainyard.core.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.TierChoice.Chosen;
import dev.trainyard.core.admission.TierChoice.Unassigned;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.core.tier.Driver;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.GpuCount;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TierChoiceTest {

    private static final Catalogue CATALOGUE = catalogue(
            tier("any", 1, Long.MAX_VALUE),
            tier("few", 1, 4),
            tier("some", 2, 4),
            tier("also-some", 2, 4),
            named("other"));
    private static final Tier LIGHT = tier("light", 1, 1, pool("k80", "gpu: {product: Tesla-K80, memory: 12Gi}"));
    private static final Tier HEAVY = tier(
            "heavy",
            1,
            4,
            pool("v100", "labels: {nvidia.com/gpu.product: Tesla-V100, nvidia.com/gpu.memory: \"16384\"}"));

    @Test
    void theNarrowestDefaultWinsThenTheName() throws Exception {
        assertThat(choose(1)).isEqualTo("few");
        assertThat(choose(3)).isEqualTo("also-some");
        assertThat(choose(5)).isEqualTo("any");
    }

    @Test
    void thePodsAnnotationWinsOverItsNamespacesOverTheDefault() throws Exception {
        var namespace = new NamespaceFacts(Map.of(Names.TIER, "some"), Map.of());

        assertThat(chosen(pod("other", namespace), 1)).isEqualTo("other");
        assertThat(chosen(pod(" ", namespace), 1)).isEqualTo("some");
        assertThat(chosen(pod("other", NamespaceFacts.NONE), 0)).isEqualTo("other");
    }

    @Test
    void aNamespacesAnnotationSaysNothingAboutPodsWithoutGpu() throws Exception {
        var namespace = new NamespaceFacts(Map.of(Names.TIER, "some"), Map.of());

        assertThat(TierChoice.of(pod("", namespace), asking(0), CATALOGUE))
                .isEqualTo(new Unassigned("asks for no GPU and names no tier", false, false));
    }

    @Test
    void saysWhichDefaultsThereAreWhenNoneFits() throws Exception {
        var catalogue = catalogue(tier("few", 1, 4), tier("many", 16, Long.MAX_VALUE));

        assertThat(TierChoice.of(pod("", NamespaceFacts.NONE), asking(8), catalogue))
                .isEqualTo(new Unassigned(
                        "asks for 8 GPUs, but no tier is the default for that number: name a tier in annotation trainyard.dev/tier;"
                                + " default tiers: few (1 to 4), many (16 or more)",
                        true,
                        true));
    }

    @Test
    void anUnknownTierIsRefusedWithTheListOfTiersAndWhoNamedIt() {
        var namespace = new NamespaceFacts(Map.of(Names.TIER, "nope"), Map.of());

        assertThatThrownBy(() -> TierChoice.of(pod("", namespace), asking(1), CATALOGUE))
                .isInstanceOf(RefusedPodException.class)
                .hasMessage("annotation trainyard.dev/tier of namespace training: there is no TrainingTier 'nope';"
                        + " tiers that can be used: also-some, any, few, other, some");
        assertThatThrownBy(() -> TierChoice.of(pod("nope", namespace), asking(1), Catalogue.EMPTY))
                .hasMessageEndingWith("tiers that can be used: none");
    }

    @Test
    void aDefaultTierMustHaveAPoolThatMayMeetTheWish() throws Exception {
        assertThat(wished(Map.of(), 1)).isEqualTo("light");
        assertThat(wished(Map.of(Names.GPU_PRODUCT, "K80"), 1)).isEqualTo("light");
        assertThat(wished(Map.of(Names.GPU_PRODUCT, "A100|V100"), 1)).isEqualTo("heavy");
        assertThat(wished(Map.of(Names.GPU_MEMORY, "12Gi"), 1)).isEqualTo("light");
        assertThat(wished(Map.of(Names.GPU_MEMORY, "13Gi"), 1)).isEqualTo("heavy");
    }

    @Test
    void aTierThatIsKnownToMeetTheWishComesBeforeANarrowerOneOfUnknownKind() throws Exception {
        var unknown = tier("unknown", 1, 1, pool("p", "allocatable: {nvidia.com/gpu: 1}"));

        var choice = TierChoice.of(pod(Map.of(Names.GPU_PRODUCT, "V100")), asking(1), catalogue(LIGHT, HEAVY, unknown));
        assertThat(((Chosen) choice).tier().name()).isEqualTo("heavy");

        choice = TierChoice.of(pod(Map.of(Names.GPU_PRODUCT, "A100")), asking(1), catalogue(LIGHT, HEAVY, unknown));
        assertThat(((Chosen) choice).tier().name()).isEqualTo("unknown");
    }

    @Test
    void saysWhichWishNoDefaultTierMeetsAndWhatTheyHave() throws Exception {
        assertThat(why(Map.of(Names.GPU_PRODUCT, "A100", Names.GPU_MEMORY, "16Gi")))
                .isEqualTo(
                        "asks for 1 GPU, but no default tier has the requested kind: change or remove trainyard.dev/gpu-product A100;"
                                + " default tiers: heavy (Tesla-V100 with 16Gi), light (Tesla-K80 with 12Gi)");
        assertThat(why(Map.of(Names.GPU_PRODUCT, "V100", Names.GPU_MEMORY, "32Gi")))
                .startsWith("asks for 1 GPU, but no default tier has the requested kind: change or remove"
                        + " trainyard.dev/gpu-memory 32Gi; default tiers:");
        assertThat(why(Map.of(Names.GPU_PRODUCT, "K80", Names.GPU_MEMORY, "16Gi")))
                .startsWith("asks for 1 GPU, but no default tier has the requested kind: change or remove"
                        + " trainyard.dev/gpu-product K80 and trainyard.dev/gpu-memory 16Gi; default tiers:");
    }

    @Test
    void namesTiersThatMeetTheWishAndAreNoDefaultForThatMany() throws Exception {
        var unknown = tier("unknown", 4, 8, pool("q", "allocatable: {nvidia.com/gpu: 1}"));
        var catalogue = catalogue(LIGHT, unknown, tier("big", 4, 8, pool("p", "gpu: {product: A100, memory: 40Gi}")));

        assertThat(((Unassigned) TierChoice.of(pod(Map.of(Names.GPU_PRODUCT, "A100")), asking(1), catalogue)).why())
                .contains("change or remove trainyard.dev/gpu-product A100, or name a tier in annotation"
                        + " trainyard.dev/tier (big); default tiers: light");
    }

    /** Tests that the advice is within the first 120 characters, because warnings are truncated there. */
    @Test
    void saysWhatToDoWhereAWarningIsNotCutYet() throws Exception {
        var some = catalogue(tier("few", 1, 4), tier("more-than-a-few", 5, 8));
        var none = (Unassigned) TierChoice.of(pod("", NamespaceFacts.NONE), asking(1_000_000), some);
        assertThat(none.why().substring(0, 117)).contains("name a tier in annotation trainyard.dev/tier");

        assertThat(why(Map.of(Names.GPU_PRODUCT, "A100-" + "x".repeat(50))).substring(0, 117))
                .contains("change or remove trainyard.dev/gpu-product");
    }

    @Test
    void aNamedTierIsChosenWhateverThePodWishesFor() throws Exception {
        var annotations = Map.of(Names.TIER, "light", Names.GPU_PRODUCT, "V100");

        var choice = (Chosen) TierChoice.of(pod(annotations), asking(1), catalogue(LIGHT, HEAVY));

        assertThat(choice.tier()).isEqualTo(LIGHT);
        assertThat(choice.wish()).hasToString("trainyard.dev/gpu-product V100");
    }

    @Test
    void aWishThatCannotBeUnderstoodIsRefusedForPodsThatAskForGpusOnly() throws Exception {
        var annotations = Map.of(Names.TIER, "light", Names.GPU_MEMORY, "lots");

        assertThatThrownBy(() -> TierChoice.of(pod(annotations), asking(1), catalogue(LIGHT)))
                .isInstanceOf(RefusedPodException.class)
                .hasMessageStartingWith("annotation trainyard.dev/gpu-memory: 'lots' is not the memory of a GPU");
        assertThat(((Chosen) TierChoice.of(pod(annotations), asking(0), catalogue(LIGHT)))
                        .wish()
                        .isNone())
                .isTrue();
    }

    @Test
    void aDefaultTierWhosePoolsThePodsOwnSelectorExcludesIsNotChosen() throws Exception {
        var catalogue = catalogue(
                tier("light", 1, 1, pool("k80", "labels: {accelerator: k80}")),
                tier("plain", 1, 2, pool("plain", "labels: {gpu: \"true\"}")),
                tier("heavy", 1, 4, pool("v100", "labels: {accelerator: v100}")));

        assertThat(chosen(Map.of(), catalogue)).isEqualTo("light");
        assertThat(chosen(Map.of("accelerator", "v100"), catalogue))
                .as("promised comes before not excluded")
                .isEqualTo("heavy");
        assertThat(chosen(Map.of("accelerator", "a100"), catalogue)).isEqualTo("plain");
        assertThat(chosen(Map.of("zone", "a"), catalogue)).isEqualTo("light");
        assertThat(TierChoice.of(
                        pod(Map.of()), asking(1, Map.of("gpu", "\u201ctrue", "accelerator", "a100")), catalogue))
                .isEqualTo(new Unassigned(
                        "the pod's node selector or affinity excludes all pools of default tiers:"
                                + " set annotation trainyard.dev/tier; default tiers: heavy, light, plain",
                        true,
                        true));
    }

    private static String chosen(Map<String, String> nodeSelector, Catalogue catalogue) throws RefusedPodException {
        return ((Chosen) TierChoice.of(pod(Map.of()), asking(1, nodeSelector), catalogue))
                .tier()
                .name();
    }

    private static PodShape asking(long gpus) {
        return asking(gpus, Map.of());
    }

    private static PodShape asking(long gpus, Map<String, String> nodeSelector) {
        return new PodShape(
                Resources.of("nvidia.com/gpu", gpus),
                nodeSelector,
                List.of(),
                List.of(),
                Set.of(),
                null,
                GpuRequirement.NONE,
                new TreeSet<>());
    }

    private static String wished(Map<String, String> annotations, long gpus) throws RefusedPodException {
        return ((Chosen) TierChoice.of(pod(annotations), asking(gpus), catalogue(LIGHT, HEAVY)))
                .tier()
                .name();
    }

    private static String why(Map<String, String> annotations) throws RefusedPodException {
        var choice = (Unassigned) TierChoice.of(pod(annotations), asking(1), catalogue(LIGHT, HEAVY));
        assertThat(choice.needsWarning()).isTrue();
        return choice.why();
    }

    private static String choose(long gpus) throws RefusedPodException {
        return chosen(pod("", NamespaceFacts.NONE), gpus);
    }

    private static String chosen(PodOrigin pod, long gpus) throws RefusedPodException {
        return ((Chosen) TierChoice.of(pod, asking(gpus), CATALOGUE)).tier().name();
    }

    private static PodOrigin pod(String tier, NamespaceFacts facts) {
        return new PodOrigin("training", Map.of(Names.TIER, tier), List.of(), facts);
    }

    private static PodOrigin pod(Map<String, String> annotations) {
        return new PodOrigin("training", annotations, List.of(), NamespaceFacts.NONE);
    }

    private static Catalogue catalogue(Tier... tiers) {
        var byName = new TreeMap<String, Tier>();
        for (var tier : tiers) {
            byName.put(tier.name(), tier);
        }
        return new Catalogue(new TreeMap<>(), byName, List.of());
    }

    private static Tier tier(String name, long min, long max, Pool... pools) {
        return new Tier(
                name,
                List.of(pools),
                Map.of(),
                Duration.ZERO,
                Optional.of(new GpuCount(min, max)),
                Driver.NONE,
                false,
                Tier.Checkpoint.NONE,
                Tier.Jobs.DEFAULT,
                Optional.empty(),
                false,
                false,
                false);
    }

    private static Pool pool(String name, String promise) {
        try {
            var text = "{provider: {kwok: {}}, capacityType: spot, promise: {%s}}".formatted(promise);
            return Pool.of(name, new YAMLMapper().readValue(text, TrainingPoolSpec.class));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Tier named(String name) {
        return new Tier(
                name,
                List.of(),
                Map.of(),
                Duration.ZERO,
                Optional.empty(),
                Driver.NONE,
                false,
                Tier.Checkpoint.NONE,
                Tier.Jobs.DEFAULT,
                Optional.empty(),
                false,
                false,
                false);
    }
}
