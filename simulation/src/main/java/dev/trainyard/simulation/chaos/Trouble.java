package dev.trainyard.simulation.chaos;

import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.Set;

/** Worlds in which things go wrong from the beginning to the end. */
public final class Trouble {

    /** Later than any simulation ends. */
    private static final Duration ALWAYS = Duration.ofDays(1000);

    private Trouble() {}

    /** A world in which these kinds of things go wrong, by chance and from the seed of the setting. */
    public static World in(World.Setting setting, Set<Fault> faults) {
        if (faults.isEmpty()) {
            return new World(setting);
        }
        var time = new VirtualTime(setting.start());
        var diary = new Diary(time);
        var mischief = new Mischief(faults, setting.seed(), time, diary);
        var world = new World(setting, time, mischief);
        Happenings.plan(world, mischief, diary, ALWAYS);
        return world;
    }
}
