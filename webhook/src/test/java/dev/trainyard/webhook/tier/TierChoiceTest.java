package dev.trainyard.webhook.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Driver;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.GpuCount;
import dev.trainyard.webhook.decision.Samples;
import dev.trainyard.webhook.namespace.NamespaceFacts;
import dev.trainyard.webhook.pod.PodRequest;
import dev.trainyard.webhook.pod.RefusedPodException;
import dev.trainyard.webhook.tier.TierChoice.Chosen;
import dev.trainyard.webhook.tier.TierChoice.NotForUs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TierChoiceTest {

    private static final Catalogue CATALOGUE = catalogue(
            tier("any", 1, Long.MAX_VALUE),
            tier("few", 1, 4),
            tier("some", 2, 4),
            tier("also-some", 2, 4),
            named("other"));

    @Test
    void theNarrowestDefaultWinsThenTheName() throws Exception {
        assertThat(choose(1)).isEqualTo("few");
        assertThat(choose(3)).isEqualTo("also-some");
        assertThat(choose(5)).isEqualTo("any");
    }

    @Test
    void thePodsAnnotationWinsOverItsNamespacesOverTheDefault() throws Exception {
        var namespace = new NamespaceFacts(Map.of(Names.TIER, "some"), Map.of());

        assertThat(chosen(request("other", namespace), 1)).isEqualTo("other");
        assertThat(chosen(request(" ", namespace), 1)).isEqualTo("some");
        assertThat(chosen(request("other", NamespaceFacts.NONE), 0)).isEqualTo("other");
    }

    @Test
    void aNamespacesAnnotationSaysNothingAboutPodsWithoutGpu() throws Exception {
        var namespace = new NamespaceFacts(Map.of(Names.TIER, "some"), Map.of());

        assertThat(TierChoice.of(request("", namespace), 0, CATALOGUE))
                .isEqualTo(new NotForUs("asks for no GPU and names no tier", false));
    }

    @Test
    void saysWhichDefaultsThereAreWhenNoneFits() throws Exception {
        var catalogue = catalogue(tier("few", 1, 4), tier("many", 16, Long.MAX_VALUE));

        assertThat(TierChoice.of(request("", NamespaceFacts.NONE), 8, catalogue))
                .isEqualTo(new NotForUs(
                        "asks for 8 GPUs, no default tier is for that; there are few (1 to 4), many (16 or more);"
                                + " annotate it with trainyard.dev/tier",
                        true));
    }

    @Test
    void anUnknownTierIsRefusedWithTheListOfTiersAndWhoNamedIt() {
        var namespace = new NamespaceFacts(Map.of(Names.TIER, "nope"), Map.of());

        assertThatThrownBy(() -> TierChoice.of(request("", namespace), 1, CATALOGUE))
                .isInstanceOf(RefusedPodException.class)
                .hasMessage("annotation trainyard.dev/tier of namespace training: there is no TrainingTier 'nope';"
                        + " tiers that can be used: also-some, any, few, other, some");
        assertThatThrownBy(() -> TierChoice.of(request("nope", namespace), 1, Catalogue.EMPTY))
                .hasMessageEndingWith("tiers that can be used: none");
    }

    private static String choose(long gpus) throws RefusedPodException {
        return chosen(request("", NamespaceFacts.NONE), gpus);
    }

    private static String chosen(PodRequest request, long gpus) throws RefusedPodException {
        return ((Chosen) TierChoice.of(request, gpus, CATALOGUE)).tier().name();
    }

    private static PodRequest request(String tier, NamespaceFacts facts) {
        var pod = Samples.yaml("{metadata: {annotations: {%s: '%s'}}}".formatted(Names.TIER, tier));
        return new PodRequest(pod, "training", facts);
    }

    private static Catalogue catalogue(Tier... tiers) {
        var byName = new TreeMap<String, Tier>();
        for (var tier : tiers) {
            byName.put(tier.name(), tier);
        }
        return new Catalogue(new TreeMap<>(), byName, List.of());
    }

    private static Tier tier(String name, long min, long max) {
        return new Tier(name, List.of(), Duration.ZERO, Optional.of(new GpuCount(min, max)), Driver.NONE);
    }

    private static Tier named(String name) {
        return new Tier(name, List.of(), Duration.ZERO, Optional.empty(), Driver.NONE);
    }
}
