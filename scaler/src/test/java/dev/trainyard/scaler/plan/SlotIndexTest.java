package dev.trainyard.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SlotIndexTest {

    @Property(tries = 200)
    void findsWhatLookingAtOneSlotAfterTheOtherFinds(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 4) int axes, @ForAll @IntRange(max = 70) int changes) {
        var random = new Random(seed);
        var tournament = new SlotIndex(
                random.doubles(axes, -1, 3).map(weight -> Math.max(0, weight)).toArray());
        var slots = new ArrayList<long[]>();
        for (int i = 0; i < changes; i++) {
            int slot = random.nextInt(slots.size() + 1);
            if (slot < slots.size() && random.nextInt(4) == 0) {
                slots.set(slot, null);
                tournament.clear(slot);
            } else {
                var amounts = random.longs(axes, 0, 5).toArray();
                if (slot == slots.size()) {
                    slots.add(amounts);
                } else {
                    slots.set(slot, amounts);
                }
                tournament.set(slot, amounts);
            }
            var wanted = random.longs(axes, 0, 5).toArray();
            int from = random.nextInt(slots.size() + 2);
            assertThat(tournament.first(wanted, from)).isEqualTo(first(slots, wanted, from));
        }
    }

    private static int first(List<long[]> slots, long[] wanted, int from) {
        for (int slot = from; slot < slots.size(); slot++) {
            if (slots.get(slot) != null && ResourceIndex.holds(slots.get(slot), wanted)) {
                return slot;
            }
        }
        return -1;
    }
}
