package dev.trainyard.runtime.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogueCacheTest {

    private final CatalogueCache current = new CatalogueCache();

    @Test
    void isTheSameUntilASpecIsAnotherOne() {
        var spec = spec("spot");
        var first = current.of(List.of(), List.of(tier("a", spec)), List.of());

        assertThat(current.of(List.of(), List.of(tier("a", spec)), List.of())).isSameAs(first);
        assertThat(current.of(List.of(), List.of(tier("a", spec("other"))), List.of())
                        .problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("other"));
    }

    @Test
    void knowsObjectsThatComeAndGo() {
        var spec = spec("spot");
        assertThat(current.of(List.of(), List.of(tier("a", spec)), List.of()).tiers())
                .containsOnlyKeys("a");
        assertThat(current.of(List.of(), List.of(tier("b", spec)), List.of()).tiers())
                .containsOnlyKeys("b");
        assertThat(current.of(List.of(), List.of(tier("b", spec), tier("c", spec)), List.of())
                        .tiers())
                .containsOnlyKeys("b", "c");

        var leaving = tier("c", spec);
        leaving.getMetadata().setDeletionTimestamp("2026-01-05T12:00:00Z");
        assertThat(current.of(List.of(), List.of(tier("b", spec), leaving), List.of())
                        .tiers())
                .containsOnlyKeys("b");
        assertThat(current.of(List.of(), List.of(), List.of()).tiers()).isEmpty();
    }

    private static TrainingTierSpec spec(String pool) {
        return new TrainingTierSpec(List.of(pool));
    }

    private static TrainingTier tier(String name, TrainingTierSpec spec) {
        var tier = new TrainingTier();
        tier.setMetadata(new ObjectMetaBuilder().withName(name).build());
        tier.setSpec(spec);
        return tier;
    }
}
