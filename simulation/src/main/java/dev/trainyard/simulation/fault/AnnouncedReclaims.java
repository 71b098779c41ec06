package dev.trainyard.simulation.fault;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.simulation.cluster.NoticeSign;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.Chance;
import java.time.Duration;
import java.util.List;

/**
 * Clouds that announce the reclaim of machines, and agents that put a sign on the node. Not every announcement is right: a machine may go
 * earlier, the sign may come too late or twice, and a machine may survive.
 */
final class AnnouncedReclaims {

    /** The longest time in which a withdrawn sign stays. A notice stops counting five minutes after its deadline. */
    private static final Duration LONGEST_SIGN = Duration.ofMinutes(12);

    private final World world;
    private final FaultInjector injector;
    private final ActivityLog log;
    private final Chance hooks;

    AnnouncedReclaims(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
        this.hooks = injector.of(Fault.NOTICE).of("hooks");
    }

    private record Machine(Pool pool, String name) {}

    /** Announces the reclaim of one machine. Only spot machines are reclaimed in the end. Other machines survive. */
    void announceOne() {
        var chance = injector.of(Fault.NOTICE);
        chance.any(machines()).ifPresent(machine -> {
            if (hooks.happens(0.3) && isHeld(machine)) {
                return;
            }
            var lead = chance.happens(0.1)
                    ? chance.between(Duration.ofMinutes(16), Duration.ofMinutes(25))
                    : chance.between(Duration.ofSeconds(10), Duration.ofMinutes(4));
            int end = machine.pool().isSpot() ? chance.number(5) : 3 + chance.number(2);
            var sign = sign(Fault.NOTICE);
            switch (end) {
                case 0 -> {
                    announce(machine, sign, lead);
                    reclaim(machine, lead);
                }
                case 1 -> {
                    announce(machine, sign, lead);
                    reclaim(machine, chance.between(Duration.ZERO, lead));
                }
                case 2 -> {
                    reclaim(machine, Duration.ZERO);
                    var late = chance.between(Duration.ZERO, Duration.ofMinutes(1));
                    world.time().after(late, () -> announce(machine, sign, lead));
                }
                case 3 -> {
                    announce(machine, sign, lead);
                    withdraw(machine, sign, chance.between(Duration.ofMillis(100), LONGEST_SIGN));
                }
                default -> announce(machine, sign, lead);
            }
            if (chance.happens(0.3)) {
                var second = sign(Fault.NOTICE);
                var later = chance.between(Duration.ZERO, Duration.ofSeconds(30));
                var other = chance.between(Duration.ofSeconds(10), Duration.ofMinutes(4));
                world.time().after(later, () -> announce(machine, second, other));
            }
        });
    }

    /** Ends a machine as an Auto Scaling group with a lifecycle hook does, if the machine belongs to such a group. */
    private boolean isHeld(Machine machine) {
        var timeout = hooks.between(Duration.ofMinutes(1), Duration.ofMinutes(20));
        if (!world.cloud().hold(machine.pool(), machine.name(), timeout)) {
            return false;
        }
        log.note("a lifecycle hook holds machine %s for %d s".formatted(machine.name(), timeout.toSeconds()));
        announce(machine, NoticeSign.AWS, Duration.ofMinutes(2));
        return true;
    }

    /** Announces the reclaim of all spot machines of a pool at once. Some of the machines survive. */
    void announceAll() {
        var chance = injector.of(Fault.NOTICE_STORM);
        var pools = world.catalogue().pools().values().stream()
                .filter(pool ->
                        pool.isSpot() && !world.cloud().running(pool.name()).isEmpty())
                .toList();
        chance.any(pools).ifPresent(pool -> {
            var lead = chance.between(Duration.ofSeconds(10), Duration.ofMinutes(2));
            var sign = sign(Fault.NOTICE_STORM);
            for (var name : world.cloud().running(pool.name())) {
                var machine = new Machine(pool, name);
                announce(machine, sign, lead);
                if (chance.happens(0.8)) {
                    reclaim(machine, lead);
                } else {
                    withdraw(machine, sign, lead);
                }
            }
        });
    }

    /** Recommends to save the work of one machine. The recommendation ends after a while. */
    void recommend() {
        var chance = injector.of(Fault.RECOMMENDATION);
        chance.any(machines()).ifPresent(machine -> {
            var sign = NoticeSign.RECOMMENDATIONS.get(chance.number(NoticeSign.RECOMMENDATIONS.size()));
            announce(machine, sign, Duration.ZERO);
            withdraw(machine, sign, chance.between(Duration.ofMinutes(1), Duration.ofMinutes(20)));
        });
    }

    /** Removes all signs, and so ends all notices. */
    void withdrawAll() {
        for (var node : List.copyOf(world.server().nodes().all())) {
            for (var sign : NoticeSign.values()) {
                remove(node.getMetadata().getName(), sign);
            }
        }
    }

    private NoticeSign sign(Fault fault) {
        return NoticeSign.RECLAIMS.get(injector.of(fault).number(NoticeSign.RECLAIMS.size()));
    }

    private List<Machine> machines() {
        return world.server().nodes().all().stream()
                .map(node -> node.getMetadata().getName())
                .flatMap(name -> world.poolOf(name).map(pool -> new Machine(pool, name)).stream())
                .toList();
    }

    private void announce(Machine machine, NoticeSign sign, Duration lead) {
        if (isOver() || world.server().nodes().get(machine.name()).isEmpty()) {
            return;
        }
        log.note("node %s gets the sign %s, for %d s ahead".formatted(machine.name(), sign, lead.toSeconds()));
        world.server()
                .nodes()
                .changeIfThere(
                        machine.name(), before -> sign.put(before, world.time().instant(), lead));
    }

    private void reclaim(Machine machine, Duration in) {
        world.time().after(in, () -> {
            if (!isOver()) {
                log.note("announced machine %s is reclaimed".formatted(machine.name()));
                world.takeBack(machine.pool().name(), machine.name());
            }
        });
    }

    private void withdraw(Machine machine, NoticeSign sign, Duration in) {
        world.time().after(in, () -> remove(machine.name(), sign));
    }

    private void remove(String node, NoticeSign sign) {
        if (world.server().nodes().get(node).filter(sign::isOn).isPresent()) {
            log.note("node %s loses the sign %s".formatted(node, sign));
            world.server().nodes().changeIfThere(node, sign::without);
        }
    }

    private boolean isOver() {
        return !injector.reclaimsSpotMachines();
    }
}
