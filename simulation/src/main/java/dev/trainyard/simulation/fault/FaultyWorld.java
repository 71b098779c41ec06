package dev.trainyard.simulation.fault;

import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;

/**
 * A simulated cluster, and the faults that are injected into it.
 *
 * @param log the log of all actions in the cluster
 */
public record FaultyWorld(World world, FaultInjector injector, ActivityLog log) {

    /**
     * Creates a cluster. The setting's seed decides when each fault is injected.
     *
     * @param until the time after the start at which the injection of faults ends; operators' cordons and marks are then removed
     */
    public static FaultyWorld of(World.Setting setting, Set<Fault> faults, Duration until) {
        var time = new VirtualTime(setting.start());
        var log = new ActivityLog(time);
        var injector = new FaultInjector(faults, setting.seed(), time, log);
        var world = new World(setting, time, injector);
        FaultSchedule.plan(world, injector, log, until);
        return new FaultyWorld(world, injector, log);
    }

    /**
     * Cordons a node of a pool, as an operator does. Of the nodes that run no pod, the first one by name is cordoned.
     *
     * @return whether there was such a node
     */
    public boolean cordonIdleNode() {
        var nodes = world.server().nodes();
        var idle = nodes.all().stream()
                .map(node -> node.getMetadata().getName())
                .filter(name -> world.poolOf(name).isPresent() && !isBusy(name))
                .min(Comparator.naturalOrder());
        idle.ifPresent(name -> {
            log.note("operator: cordons node %s and forgets it".formatted(name));
            nodes.changeIfThere(
                    name,
                    before -> new NodeBuilder(before)
                            .editSpec()
                            .withUnschedulable(true)
                            .endSpec()
                            .build());
        });
        return idle.isPresent();
    }

    private boolean isBusy(String node) {
        return world.server().pods().all().stream()
                .anyMatch(pod -> node.equals(pod.getSpec().getNodeName()) && !Pods.ended(pod));
    }
}
