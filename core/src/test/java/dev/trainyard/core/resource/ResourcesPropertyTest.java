package dev.trainyard.core.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Properties that hold for any amounts. */
class ResourcesPropertyTest {

    @Property(seed = "42")
    void addingAndTakingAwayAgainChangesNothing(@ForAll("amounts") Resources a, @ForAll("amounts") Resources b) {
        assertThat(a.plus(b).minus(b)).isEqualTo(a);
    }

    @Property(seed = "42")
    void whatHoldsARequestSomeTimesHoldsItThatOften(
            @ForAll("amounts") Resources room, @ForAll("amounts") Resources request) {
        long times = room.timesHolding(request);
        if (times < Long.MAX_VALUE) {
            assertThat(room.firstLacking(request.times(times))).isNull();
            assertThat(room.firstLacking(request.times(times + 1))).isNotNull();
        } else {
            assertThat(request.isEmpty()).isTrue();
        }
    }

    @Property(seed = "42")
    void theGreaterOfTwoHoldsBoth(@ForAll("amounts") Resources a, @ForAll("amounts") Resources b) {
        assertThat(a.max(b).firstLacking(a)).isNull();
        assertThat(a.max(b).firstLacking(b)).isNull();
    }

    @Provide
    Arbitrary<Resources> amounts() {
        return Arbitraries.maps(
                        Arbitraries.of("cpu", "memory", "pods", "nvidia.com/gpu"),
                        Arbitraries.longs().between(0, 1L << 40))
                .ofMaxSize(4)
                .map((Map<String, Long> map) -> Resources.of(map));
    }
}
