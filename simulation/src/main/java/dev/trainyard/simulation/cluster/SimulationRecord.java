package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The figures of a simulation run, for reports. */
@SuppressWarnings("JavaLangClash") // Nothing here names java.lang.Record.
public final class SimulationRecord {

    /**
     * The use of GPUs by a running pod.
     *
     * @param thousandths the GPUs, in thousandths
     * @param since when the pod started, in nanoseconds
     * @param restartCost the most that an interruption costs the pod, in nanoseconds; the largest number if it costs all that the pod did
     */
    private record Use(String node, long thousandths, long since, long restartCost) {

        /** Returns since when the pod's work is lost if the pod is interrupted now, without having saved its state. */
        private long lostSince(long now) {
            return now - Math.min(now - since, restartCost);
        }

        private double gpus() {
            return thousandths / 1000.0;
        }
    }

    /** The number, hours and cost of one pool's machines. */
    public static final class PoolUse {
        private final double hourlyPrice;
        private final long gpus;
        private int machines;
        private int most;
        private int made;
        private double machineSeconds;
        private double since;

        private PoolUse(Pool pool) {
            hourlyPrice = pool.hourlyPrice().map(price -> price.doubleValue()).orElse(0.0);
            gpus = pool.promisedGpus();
        }

        public int most() {
            return most;
        }

        public int made() {
            return made;
        }

        public double machineHours() {
            return machineSeconds / 3600;
        }

        public double gpuHours() {
            return gpus * machineHours();
        }

        public double cost() {
            return hourlyPrice * machineHours();
        }

        private void change(int by, double now) {
            machineSeconds += machines * (now - since);
            since = now;
            machines += by;
            most = Math.max(most, machines);
            made += Math.max(0, by);
        }
    }

    private final VirtualTime time;
    private final ReclaimRecord reclaims;
    private final TreeMap<String, PoolUse> pools = new TreeMap<>();
    private final Map<String, Long> created = new HashMap<>();
    private final Set<String> started = new HashSet<>();
    private final Map<String, Use> uses = new HashMap<>();
    /** The wait of each pod that ran, in nanoseconds. All waits are kept, so that percentiles are exact. */
    private long[] waits = new long[64];

    /** The GPUs of each pod that ran, in thousandths. */
    private long[] sizes = new long[64];

    private int ran;
    private Map<String, Outcome> outcomes = Map.of();
    /** The GPUs of running pods, in thousandths. */
    private long gpusUsed;

    private double gpuSecondsUsed;
    private double gpusUsedSince;
    private long rounds;
    private int pods;
    private int lost;

    SimulationRecord(VirtualTime time, ApiServer server) {
        this.time = time;
        this.reclaims = new ReclaimRecord(time);
        server.pods().inform(Lag.USUAL).tell(new PodsSeen());
    }

    void made(Pool pool) {
        use(pool).change(1, seconds());
    }

    /** Records that the cloud reclaims a machine, together with its pods. */
    void reclaimed(String machine) {
        uses.forEach((uid, use) -> {
            if (use.node().equals(machine) && started.contains(uid)) {
                reclaims.endsWithMachine(uid, use.gpus(), use.lostSince(time.nanos()));
            }
        });
    }

    /** Ends the use of GPUs on a machine that stopped, even if the API server still shows its pods as running. */
    void stopped(String machine) {
        var there = uses.entrySet().stream()
                .filter(use -> use.getValue().node().equals(machine))
                .map(Map.Entry::getKey)
                .toList();
        there.forEach(this::endUse);
    }

    void gone(Pool pool, String machine) {
        use(pool).change(-1, seconds());
        reclaims.gone(machine);
    }

    /** Records that a pod is deleted because its owner ended or was scaled down, so that it does not count as lost. */
    void dismissed(String uid) {
        started.remove(uid);
    }

    /**
     * Records that a pod has saved its state.
     *
     * @param saving how long the pod saved
     * @return how long the pod had run before
     */
    Duration saved(String uid, Duration saving) {
        long began = time.nanos() - saving.toNanos();
        reclaims.saved(uid, began);
        var use = uses.get(uid);
        return use == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, began - use.since()));
    }

    /** Returns how long a pod has been running; zero if it does not run. */
    Duration ran(String uid) {
        var use = uses.get(uid);
        return use == null ? Duration.ZERO : Duration.ofNanos(time.nanos() - use.since());
    }

    void round(Round.Result result) {
        rounds++;
        outcomes = result.plan().outcomes();
    }

    /** Returns the scaler's latest message about a pending pod. */
    public Optional<String> reason(String uid) {
        return Optional.ofNullable(outcomes.get(uid)).map(Outcome::message);
    }

    public long rounds() {
        return rounds;
    }

    /** Returns the number of pods created, including replacements. */
    public int pods() {
        return pods;
    }

    /** Returns the number of pods that were lost while they ran. */
    public int lost() {
        return lost;
    }

    /** Returns the record of reclaims. */
    public ReclaimRecord reclaims() {
        return reclaims;
    }

    /** Returns the wait of each pod that ran, from its creation until its containers ran. Waits are in nanoseconds, in ascending order. */
    public long[] waits() {
        var sorted = Arrays.copyOf(waits, ran);
        Arrays.sort(sorted);
        return sorted;
    }

    /** Returns the waits of pods of each size, as {@link #waits} does. A size is a number of GPUs, in thousandths. */
    public SortedMap<Long, long[]> waitsBySize() {
        var bySize = new TreeMap<Long, long[]>();
        Arrays.stream(sizes, 0, ran)
                .distinct()
                .forEach(size -> bySize.put(
                        size,
                        IntStream.range(0, ran)
                                .filter(pod -> sizes[pod] == size)
                                .mapToLong(pod -> waits[pod])
                                .sorted()
                                .toArray()));
        return bySize;
    }

    /** Returns the GPU hours that pods have used so far, including running pods. */
    public double gpuHoursUsed() {
        useGpus(0);
        return gpuSecondsUsed / 3600;
    }

    /** Returns the number of GPUs of all existing machines. */
    public long gpus() {
        return pools.values().stream().mapToLong(use -> use.gpus * use.machines).sum();
    }

    /** Returns the number of GPUs of running pods. */
    public double gpusUsed() {
        return gpusUsed / 1000.0;
    }

    /** Returns the cost of all machines so far. */
    public double cost() {
        return pools().values().stream().mapToDouble(PoolUse::cost).sum();
    }

    /** Returns the use of machines so far, by pool. */
    public Map<String, PoolUse> pools() {
        pools.values().forEach(use -> use.change(0, seconds()));
        return pools;
    }

    private void endUse(String uid) {
        var use = uses.remove(uid);
        useGpus(use == null ? 0 : -use.thousandths());
    }

    private void useGpus(long thousandths) {
        double now = seconds();
        gpuSecondsUsed += gpusUsed() * (now - gpusUsedSince);
        gpusUsedSince = now;
        gpusUsed += thousandths;
    }

    private PoolUse use(Pool pool) {
        return pools.computeIfAbsent(pool.name(), name -> new PoolUse(pool));
    }

    private double seconds() {
        return time.nanos() / 1e9;
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            pods++;
            created.put(pod.getMetadata().getUid(), time.nanos());
        }

        @Override
        public void changed(Pod before, Pod after) {
            var uid = after.getMetadata().getUid();
            if ("Running".equals(after.getStatus().getPhase())
                    && !"Running".equals(before.getStatus().getPhase())) {
                started.add(uid);
                var use = new Use(
                        Pods.node(after).orElseThrow(),
                        GpuShares.usedBy(after),
                        time.nanos(),
                        World.restartCost(after).map(Duration::toNanos).orElse(Long.MAX_VALUE));
                uses.put(uid, use);
                useGpus(use.thousandths());
                reclaims.runs(uid);
                var since = created.get(uid);
                if (since != null) {
                    waits = ran < waits.length ? waits : Arrays.copyOf(waits, 2 * ran);
                    sizes = ran < sizes.length ? sizes : Arrays.copyOf(sizes, 2 * ran);
                    sizes[ran] = use.thousandths();
                    waits[ran++] = time.nanos() - since;
                }
            }
            if (Pods.leaves(after) && !Pods.leaves(before) && started.contains(uid)) {
                Pods.node(after).ifPresent(node -> reclaims.terminating(uid, node));
            }
            if (Pods.ended(after) && !Pods.ended(before)) {
                started.remove(uid);
                endUse(uid);
            }
        }

        @Override
        public void removed(Pod last) {
            var uid = last.getMetadata().getUid();
            created.remove(uid);
            boolean wasLost = started.remove(uid);
            lost += wasLost ? 1 : 0;
            var use = uses.get(uid);
            if (wasLost && use != null) {
                reclaims.ended(uid, use.gpus(), use.lostSince(time.nanos()));
            } else {
                reclaims.forget(uid);
            }
            endUse(uid);
        }
    }
}
