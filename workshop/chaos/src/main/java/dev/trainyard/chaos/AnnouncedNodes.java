package dev.trainyard.chaos;

import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.NoticeSign;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The nodes whose machines a cloud will reclaim, as announced, or whose machines are broken. Read from the real nodes, and not by the scaler's code. */
final class AnnouncedNodes {

    /** How long the scaler may act on an old state of a node, because watches are late, processes are suspended, and calls take long. */
    static final Duration LATE = Duration.ofMinutes(3);

    /** How long before its deadline a notice counts ({@code docs/spot.md}). Before, it counts as a recommendation. */
    private static final Duration NEAR = Duration.ofMinutes(15);

    /** How long after its deadline a notice counts, if the machine still exists ({@code docs/spot.md}). */
    private static final Duration OVERDUE = Duration.ofMinutes(5);

    /** The time after which the extender must know a change of a node. */
    private static final Duration TOLD = Duration.ofSeconds(1);

    /** The tolerance of times, because Kubernetes stores whole seconds. */
    private static final Duration ABOUT = Duration.ofSeconds(5);

    private final World world;
    /** The signs on nodes, by node. */
    private final Map<String, Map<NoticeSign, Seen>> signs = new HashMap<>();
    /** When nodes last had a sign that they no longer have, in nanoseconds of the run, by node. */
    private final Map<String, Long> lost = new HashMap<>();
    /** When nodes last had a sign of a broken machine, in nanoseconds of the run, by node; the largest number while they have it. */
    private final Map<String, Long> broken = new HashMap<>();
    /** The largest number of GPUs that each node of a pool's machine has shown while its pool was valid. */
    private final Map<String, Long> mostGpus = new HashMap<>();
    /** When the wall clock was last changed, in nanoseconds of the run. */
    private long clockSet = -1;

    /**
     * A sign on a node.
     *
     * @param at when the sign appeared, in nanoseconds of the run
     * @param wall when the sign appeared, by the wall clock
     */
    private record Seen(long at, Instant wall, Instant deadline) {}

    AnnouncedNodes(World world) {
        this.world = world;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Records that the wall clock was changed. The windows of earlier signs are then unknown. */
    void clockIsSet() {
        clockSet = world.time().nanos();
    }

    /**
     * Whether a notice of the node's reclaim counts now: a sign on the node, or a lifecycle hook. The notice of a hook counts for as long as
     * the hook holds the machine.
     */
    boolean isUnderNotice(String node) {
        return world.cloud().isHeld(node, Duration.ZERO)
                || signs.getOrDefault(node, Map.of()).values().stream().anyMatch(sign -> isOpen(sign, Duration.ZERO));
    }

    /** Whether the scaler may act on a notice of the node's reclaim: a notice counts, or counted within {@link #LATE}. */
    boolean mayBeActedOn(String node) {
        var gone = lost.get(node);
        return world.cloud().isHeld(node, LATE)
                || (gone != null && world.time().nanos() - gone <= LATE.toNanos())
                || signs.getOrDefault(node, Map.of()).values().stream()
                        .anyMatch(sign -> sign.at() <= clockSet || isOpen(sign, LATE));
    }

    /** Whether the scaler may empty the node's machine because of a sign on the node: of a reclaim, or of a broken machine. */
    boolean mayBeEmptied(String node) {
        return mayBeActedOn(node) || mayBeBroken(node);
    }

    /** Whether the node has a sign of a broken machine, or had one within {@link #LATE}. */
    boolean mayBeBroken(String node) {
        var at = broken.get(node);
        return at != null && (at == Long.MAX_VALUE || world.time().nanos() - at <= LATE.toNanos());
    }

    /**
     * Whether an agent reports the node's machine as broken now, or the machine belongs to a pool and has lost a GPU. The pool may be invalid
     * for now.
     */
    private boolean isBroken(Node node) {
        return NodeFacts.isReportedBroken(node)
                || NodeFacts.gpus(node)
                        < mostGpus.getOrDefault(node.getMetadata().getName(), 0L);
    }

    /** Whether the node has a sign whose deadline is so far ahead that the sign counts as a recommendation. */
    boolean isAnnouncedForLater(String node) {
        var now = world.time().instant();
        return signs.getOrDefault(node, Map.of()).values().stream()
                .anyMatch(sign -> now.isBefore(sign.deadline().minus(NEAR)));
    }

    /** Whether the extender must know that no pod may be placed on the node. */
    boolean mustBeAvoided(String node) {
        return signs.getOrDefault(node, Map.of()).values().stream()
                .anyMatch(sign -> sign.at() > clockSet
                        && world.time().nanos() - sign.at() > TOLD.toNanos()
                        && !sign.wall().isBefore(sign.deadline().minus(NEAR).plus(ABOUT))
                        && isOpen(sign, ABOUT.negated()));
    }

    /** Returns when the first sign on the node appeared, by the wall clock; empty if there is none, or if the clock was changed since. */
    Optional<Instant> appeared(String node) {
        var all = signs.getOrDefault(node, Map.of()).values();
        return all.stream().anyMatch(sign -> sign.at() <= clockSet)
                ? Optional.empty()
                : all.stream().map(Seen::wall).min(Comparator.naturalOrder());
    }

    private boolean isOpen(Seen sign, Duration tolerance) {
        var now = world.time().instant();
        return !now.isBefore(sign.deadline().minus(NEAR).minus(tolerance))
                && now.isBefore(sign.deadline().plus(OVERDUE).plus(tolerance));
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void added(Node node) {
            changed(node, node);
        }

        @Override
        public void changed(Node before, Node after) {
            var name = after.getMetadata().getName();
            var known = signs.getOrDefault(name, Map.of());
            var now = new EnumMap<NoticeSign, Seen>(NoticeSign.class);
            for (var sign : NoticeSign.reclaims(after)) {
                now.put(sign, seen(sign, after, known));
            }
            if (!now.keySet().containsAll(known.keySet())) {
                lost.put(name, world.time().nanos());
            }
            if (world.poolOf(name).isPresent()) {
                mostGpus.merge(name, NodeFacts.gpus(after), Math::max);
            }
            if (isBroken(after)) {
                broken.put(name, Long.MAX_VALUE);
            } else {
                broken.computeIfPresent(
                        name, (node, at) -> at == Long.MAX_VALUE ? world.time().nanos() : at);
            }
            if (now.isEmpty()) {
                signs.remove(name);
            } else {
                signs.put(name, now);
            }
        }

        private Seen seen(NoticeSign sign, Node node, Map<NoticeSign, Seen> known) {
            var time = world.time();
            var before = known.get(sign);
            var deadline = sign.deadline(node, before == null ? time.instant() : before.wall());
            return before != null && before.deadline().equals(deadline)
                    ? before
                    : new Seen(time.nanos(), time.instant(), deadline);
        }

        @Override
        public void removed(Node last) {
            var name = last.getMetadata().getName();
            broken.computeIfPresent(name, (node, at) -> world.time().nanos());
            mostGpus.remove(name);
            if (signs.remove(name) != null) {
                lost.put(name, world.time().nanos());
            }
        }
    }
}
