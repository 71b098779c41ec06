package dev.trainyard.scaler.kwok;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a simulated cloud knows of one pool. Immutable; everything follows from stored times and the clock. Times are RFC 3339.
 *
 * @param target machines asked for, those that will never come included
 * @param ordered machines ever made, from which names follow
 * @param machines those that exist
 * @param shortages requests that the cloud accepted and has no machines for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record KwokCloud(int target, int ordered, List<Rented> machines, List<Shortage> shortages) {

    static final KwokCloud EMPTY = new KwokCloud(0, 0, List.of(), List.of());

    /**
     * A machine.
     *
     * @param joined whether its Node has been made
     * @param driver whether its GPUs show
     */
    record Rented(String id, String orderedAt, String joinsAt, String driverAt, boolean joined, boolean driver) {

        boolean joins(Instant now) {
            return !now.isBefore(Instant.parse(joinsAt));
        }

        boolean showsDriver(Instant now) {
            return !now.isBefore(Instant.parse(driverAt));
        }

        Rented withProgress(boolean nodeMade, boolean driverShown) {
            return new Rented(id, orderedAt, joinsAt, driverAt, nodeMade, driverShown);
        }
    }

    /** Machines that were ordered and are not to be had. */
    record Shortage(int machines, String failsAt, String message, String kind) {}

    KwokCloud {
        machines = List.copyOf(machines);
        shortages = List.copyOf(shortages);
    }

    /** @throws ProviderException of kind conflict when the target is neither {@code from} nor {@code to} */
    KwokCloud grow(int from, int to, KwokTerms terms, String pool, Instant now) throws ProviderException {
        if (target == to) {
            return this;
        }
        require(target == from, "its size is %d, not %d as expected", target, from);
        int asked = to - from;
        int had = terms.capacity() == null ? asked : Math.min(asked, Math.max(0, terms.capacity() - machines.size()));
        var rented = new ArrayList<>(machines);
        for (int i = 1; i <= had; i++) {
            var joins = now.plus(terms.bootDelay());
            rented.add(new Rented(
                    "%s-%04d".formatted(pool, ordered + i),
                    now.toString(),
                    joins.toString(),
                    joins.plus(terms.driverDelay()).toString(),
                    false,
                    false));
        }
        var missing = new ArrayList<>(shortages);
        if (asked > had) {
            missing.add(new Shortage(
                    asked - had,
                    now.plus(terms.failureDelay()).toString(),
                    "%d of %d machines are not to be had: this cloud has %d of the kind"
                            .formatted(asked - had, asked, machines.size() + had),
                    terms.shortage().toString()));
        }
        return new KwokCloud(to, ordered + had, rented, missing);
    }

    KwokCloud withdraw(int from, int to) throws ProviderException {
        if (target == to) {
            return this;
        }
        require(target == from, "its size is %d, not %d as expected", target, from);
        require(to >= machines.size(), "it has %d machines, so that its size cannot become %d", machines.size(), to);
        return new KwokCloud(to, ordered, machines, List.of());
    }

    KwokCloud terminate(Set<String> ids) {
        var left =
                machines.stream().filter(machine -> !ids.contains(machine.id())).toList();
        return new KwokCloud(target - (machines.size() - left.size()), ordered, left, shortages);
    }

    KwokCloud replace(Rented machine) {
        return new KwokCloud(
                target,
                ordered,
                machines.stream()
                        .map(m -> m.id().equals(machine.id()) ? machine : m)
                        .toList(),
                shortages);
    }

    PoolState state(String pool, Instant now) {
        return new PoolState(
                target,
                machines.stream()
                        .map(machine -> new Machine(
                                machine.id(),
                                providerId(pool, machine.id()),
                                machine.id(),
                                machine.joins(now) ? Machine.State.RUNNING : Machine.State.CREATING,
                                Instant.parse(machine.orderedAt())))
                        .toList(),
                shortages.stream()
                        .filter(shortage -> !now.isBefore(Instant.parse(shortage.failsAt())))
                        .map(shortage -> new Failure(
                                FailureKind.ofWord(shortage.kind()),
                                shortage.message(),
                                Instant.parse(shortage.failsAt())))
                        .toList());
    }

    static String providerId(String pool, String machine) {
        return "kwok://" + pool + "/" + machine;
    }

    private static void require(boolean holds, String message, Object... arguments) throws ProviderException {
        if (!holds) {
            throw new ProviderException(FailureKind.CONFLICT, message.formatted(arguments));
        }
    }
}
