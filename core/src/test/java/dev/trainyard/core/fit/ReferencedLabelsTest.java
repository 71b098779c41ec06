package dev.trainyard.core.fit;

import static dev.trainyard.core.fit.Related.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.pod.PodRelations;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReferencedLabelsTest {

    @Test
    void podsThatDifferInWhatNobodyLooksAtAreTheSame() {
        var first = pod("app=worker", "index=0").apartFrom("app=worker", "host").relations();
        var second =
                pod("app=worker", "index=1").apartFrom("app=worker", "host").relations();
        var interests = ReferencedLabels.of(List.of(first, second));

        assertThat(interests.reduced(first)).isEqualTo(interests.reduced(second));
        assertThat(interests.reduced(first).labels()).containsOnlyKeys("app");
    }

    @Test
    void podsThatDifferInWhatSomebodyLooksAtAreNotTheSame() {
        var first = pod("app=worker", "index=0").relations();
        var second = pod("app=worker", "index=1").relations();
        var picky = pod("app=chief").near("index=0", "host").relations();
        var interests = ReferencedLabels.of(List.of(first, second, picky));

        assertThat(interests.reduced(first).labels()).containsOnlyKeys("index");
        assertThat(interests.reduced(second)).as("nobody looks for it").isEqualTo(PodRelations.NONE);
    }

    @Test
    void aPodThatNeitherLooksForAnybodyNorIsLookedForHasNoRelations() {
        var picky = pod("app=chief").near("app=worker", "host").relations();
        var elsewhere = pod("app=worker").in("other").relations();
        var interests = ReferencedLabels.of(List.of(picky, elsewhere));

        assertThat(interests.reduced(elsewhere)).isEqualTo(PodRelations.NONE);
        assertThat(interests.reduced(picky).demands()).isTrue();
        assertThat(ReferencedLabels.of(List.of()).reduced(elsewhere)).isEqualTo(PodRelations.NONE);
    }

    @Test
    void whatOnePodOfANamespaceLooksAtKeepsOtherNamespacesPodsTheSame() {
        var here = pod("app=worker", "index=0").apartFrom("app=worker", "host").relations();
        var there = pod("app=worker", "index=0")
                .in("other")
                .apartFrom("index=0", "host")
                .relations();
        var interests = ReferencedLabels.of(List.of(here, there));

        assertThat(interests.reduced(here).labels()).containsOnlyKeys("app");
        assertThat(interests.reduced(there).labels()).containsOnlyKeys("index");
    }
}
