package dev.trainyard.scaler.kwok;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The state of one pool in a simulated cloud. The progress of a request is computed from the time of the request, so the state needs no
 * updates while no process runs. Times are milliseconds since 1970. Immutable.
 *
 * @param ordered the number of machines that were ever created; names of new machines continue this count
 * @param machines machines that exist or are being created
 * @param shortages requests, or parts of requests, that cannot be filled
 */
record SimulatedCloud(long ordered, List<SimulatedMachine> machines, List<Shortage> shortages) {

    static final SimulatedCloud EMPTY = new SimulatedCloud(0, List.of(), List.of());

    SimulatedCloud {
        machines = List.copyOf(machines);
        shortages = List.copyOf(shortages);
    }

    /**
     * A machine of the simulated cloud.
     *
     * @param joined when the machine's node was created; null until then
     * @param complete whether the machine's node reports everything that the pool promises
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record SimulatedMachine(
            String id, long orderedAt, @Nullable Long joined, boolean complete) {

        boolean isDueToJoin(long now, KwokSettings settings) {
            return joined == null && now >= orderedAt + settings.bootDelay().toMillis();
        }

        boolean isDueToBeComplete(long now, KwokSettings settings) {
            return joined != null
                    && !complete
                    && now >= joined + settings.driverDelay().toMillis();
        }

        SimulatedMachine join(long now, boolean complete) {
            return new SimulatedMachine(id, orderedAt, now, complete);
        }

        SimulatedMachine completed() {
            return new SimulatedMachine(id, orderedAt, joined, true);
        }
    }

    /** Machines that one request asked for, but that the cloud does not have. */
    record Shortage(int machines, long orderedAt) {}

    /** Returns how many machines the cloud has been asked to keep. */
    int target() {
        return machines.size() + shortages.stream().mapToInt(Shortage::machines).sum();
    }

    /**
     * Accepts a request for {@code count} more machines of {@code pool}. Machines beyond the cloud's capacity become a {@link Shortage}.
     */
    SimulatedCloud order(String pool, int count, int capacity, long now) {
        int filled = Math.max(0, Math.min(count, capacity - machines.size()));
        var allMachines = new ArrayList<>(machines);
        for (int i = 1; i <= filled; i++) {
            allMachines.add(new SimulatedMachine("%s-%04d".formatted(pool, ordered + i), now, null, false));
        }
        var allShortages = new ArrayList<>(shortages);
        if (count > filled) {
            allShortages.add(new Shortage(count - filled, now));
        }
        return new SimulatedCloud(ordered + filled, allMachines, allShortages);
    }

    /** Withdraws requests that cannot be filled, the latest first, until the cloud's target is {@code target}. */
    SimulatedCloud withdraw(int target) {
        int excess = target() - target;
        var remaining = new ArrayList<>(shortages);
        while (excess > 0 && !remaining.isEmpty()) {
            var last = remaining.remove(remaining.size() - 1);
            if (last.machines() > excess) {
                remaining.add(new Shortage(last.machines() - excess, last.orderedAt()));
            }
            excess -= last.machines();
        }
        return new SimulatedCloud(ordered, machines, remaining);
    }

    SimulatedCloud without(Collection<String> ids) {
        return new SimulatedCloud(
                ordered,
                machines.stream().filter(machine -> !ids.contains(machine.id())).toList(),
                shortages);
    }

    SimulatedCloud mapMachines(UnaryOperator<SimulatedMachine> change) {
        return new SimulatedCloud(ordered, machines.stream().map(change).toList(), shortages);
    }

    boolean hasSomethingDue(long now, KwokSettings settings) {
        return machines.stream()
                .anyMatch(machine -> machine.isDueToJoin(now, settings) || machine.isDueToBeComplete(now, settings));
    }
}
