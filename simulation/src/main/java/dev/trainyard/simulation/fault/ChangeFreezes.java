package dev.trainyard.simulation.fault;

import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Evictions;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetSpec;
import java.time.Duration;
import java.util.List;

/**
 * Operators who set disruption budgets to zero for a while, just after the scaler chose a machine for removal. The scaler's choice relied on
 * the budgets before this change.
 */
final class ChangeFreezes implements Watch<Node> {

    private static final Duration LENGTH = Duration.ofMinutes(15);

    private final World world;
    private final FaultInjector injector;
    private final ActivityLog log;

    ChangeFreezes(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
    }

    @Override
    public void changed(Node before, Node after) {
        if (NodeFacts.removalStarts(before, after) && injector.has(Fault.OPERATOR)) {
            for (var budget : List.copyOf(world.server().budgets().all())) {
                if (isOn(after, budget) && injector.of(Fault.OPERATOR).happens(0.7)) {
                    freeze(budget);
                }
            }
        }
    }

    private boolean isOn(Node node, PodDisruptionBudget budget) {
        return world.server().pods().all().stream()
                .anyMatch(
                        pod -> node.getMetadata().getName().equals(pod.getSpec().getNodeName())
                                && Evictions.covers(budget, pod));
    }

    private void freeze(PodDisruptionBudget budget) {
        var name = ObjectStore.key(budget);
        var usual = budget.getSpec();
        var none = new PodDisruptionBudgetBuilder(budget)
                .editSpec()
                .withMinAvailable(null)
                .withNewMaxUnavailable(0)
                .endSpec()
                .build()
                .getSpec();
        if (none.equals(usual)) {
            return;
        }
        log.note("operator: disruption budget %s allows no evictions for %d min".formatted(name, LENGTH.toMinutes()));
        specify(name, none);
        world.time().after(LENGTH, () -> {
            log.note("operator: disruption budget %s is restored".formatted(name));
            specify(name, usual);
        });
    }

    private void specify(String name, PodDisruptionBudgetSpec spec) {
        world.server()
                .budgets()
                .change(
                        name,
                        null,
                        before -> new PodDisruptionBudgetBuilder(before)
                                .withSpec(spec)
                                .build());
    }
}
