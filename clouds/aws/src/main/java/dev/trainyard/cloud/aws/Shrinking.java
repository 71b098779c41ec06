package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The termination of a group's machines, one by one, with a running count of the group's desired capacity. Not thread-safe; one instance
 * for each request.
 */
final class Shrinking {

    private final AwsRegion region;
    private final Group group;
    private final int poolsLeast;
    private final Map<String, Group.Instance> present;
    private int desired;
    private int serving;
    private final List<String> kept = new ArrayList<>();
    private @Nullable ProviderException refused;

    /** @param group the group as AWS shows it now */
    Shrinking(AwsRegion region, Group group, int poolsLeast) {
        this.region = region;
        this.group = group;
        this.poolsLeast = poolsLeast;
        this.present = group.present().stream().collect(Collectors.toMap(Group.Instance::id, i -> i, (a, b) -> a));
        this.desired = group.desired();
        this.serving = group.serving();
    }

    /**
     * @throws ProviderException if a machine cannot be terminated; the other machines are terminated nevertheless, unless the failure
     *     concerns all machines
     */
    void end(List<Machine> machines) throws ProviderException {
        for (var machine : machines) {
            var instance = present.remove(machine.id());
            if (group.waitingToEnd().contains(machine.id())) {
                attempt(() -> region.release(group, machine.id()));
            } else if (instance != null && !region.departures().isOrdered(instance.id())) {
                // A second request for a terminating instance would shrink its group by two.
                attempt(() -> end(instance));
            }
        }
        if (!kept.isEmpty()) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "MinSize of Auto Scaling group %s is %d, so AWS keeps %s: lower MinSize to spec.min, which is %d"
                            .formatted(group.name(), group.least(), String.join(", ", kept), poolsLeast));
        }
        if (refused != null) {
            throw refused;
        }
    }

    /** A request about one machine. */
    @FunctionalInterface
    private interface Request {
        void make() throws ProviderException;
    }

    private void attempt(Request request) throws ProviderException {
        try {
            request.make();
        } catch (ProviderException e) {
            switch (e.kind()) {
                case CONFLICT, INVALID_CONFIGURATION -> refused = refused == null ? e : refused;
                default -> throw e;
            }
        }
    }

    private void end(Group.Instance instance) throws ProviderException {
        boolean counted = !instance.standsBy();
        // If the group has more instances than desired, the desired capacity stays.
        boolean lower = counted && desired >= serving;
        if (order(instance.id(), lower) == AwsCalls.Termination.AT_MINIMUM) {
            // The scaler never removes an idle machine if the pool would then have fewer than spec.min machines. So if
            // MinSize is at most spec.min, this machine is removed because it is unusable, and AWS is allowed to
            // replace it.
            if (group.least() > poolsLeast || order(instance.id(), false) == AwsCalls.Termination.AT_MINIMUM) {
                kept.add(instance.id());
            }
            return;
        }
        serving -= counted ? 1 : 0;
        desired -= lower ? 1 : 0;
    }

    private AwsCalls.Termination order(String instance, boolean lower) throws ProviderException {
        try {
            var termination = region.calls().terminate(instance, lower);
            if (termination == AwsCalls.Termination.ORDERED) {
                region.departures().accepted(instance);
            }
            return termination;
        } catch (ProviderException e) {
            if (e.kind() == FailureKind.TRANSIENT) {
                region.departures().unanswered(instance);
            }
            throw e;
        } finally {
            region.changed();
        }
    }
}
