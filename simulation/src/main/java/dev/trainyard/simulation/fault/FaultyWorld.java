package dev.trainyard.simulation.fault;

import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
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
}
