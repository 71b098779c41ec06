package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Round;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What happened, as far as a report tells of it. */
@SuppressWarnings("JavaLangClash") // Nothing here names java.lang.Record.
public final class Record {

    /** What a pod has that runs, and where. */
    private record Use(String node, long thousandths) {}

    /** Of the machines of one pool. */
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
    private final TreeMap<String, PoolUse> pools = new TreeMap<>();
    private final Map<String, Long> created = new HashMap<>();
    private final Set<String> started = new HashSet<>();
    private final Map<String, Use> uses = new HashMap<>();
    /** All of them, so that shares are exact: 8 bytes for each pod that ran. */
    private long[] waits = new long[64];

    private int ran;
    private Map<String, Outcome> outcomes = Map.of();
    /** Thousandths of GPUs. */
    private long gpusUsed;

    private double gpuSecondsUsed;
    private double gpusUsedSince;
    private long rounds;
    private int pods;
    private int lost;

    Record(VirtualTime time, ApiServer server) {
        this.time = time;
        server.pods().inform(Lag.USUAL).tell(new PodsSeen());
    }

    void made(Pool pool) {
        use(pool).change(1, seconds());
    }

    /** Nothing runs there any more, also if the API server has yet to notice. */
    void stopped(String machine) {
        var there = uses.entrySet().stream()
                .filter(use -> use.getValue().node().equals(machine))
                .map(Map.Entry::getKey)
                .toList();
        there.forEach(this::endUse);
    }

    void gone(Pool pool) {
        use(pool).change(-1, seconds());
    }

    /** Nobody wants that pod any more: it will not have been lost. */
    void dismissed(String uid) {
        started.remove(uid);
    }

    void round(Round.Result result) {
        rounds++;
        outcomes = result.plan().outcomes();
    }

    /** What the scaler said last of a pod that waits. */
    public Optional<String> reason(String uid) {
        return Optional.ofNullable(outcomes.get(uid)).map(Outcome::message);
    }

    public long rounds() {
        return rounds;
    }

    /** Pods created, those that were made anew included. */
    public int pods() {
        return pods;
    }

    /** Pods that were lost while they ran. */
    public int lost() {
        return lost;
    }

    /** From creation until the containers ran, of each pod that did: nanoseconds, the shortest first. */
    public long[] waits() {
        var sorted = Arrays.copyOf(waits, ran);
        Arrays.sort(sorted);
        return sorted;
    }

    /** Up to now, of pods that run still as well. */
    public double gpuHoursUsed() {
        useGpus(0);
        return gpuSecondsUsed / 3600;
    }

    /** GPUs of the machines that there are. */
    public long gpus() {
        return pools.values().stream().mapToLong(use -> use.gpus * use.machines).sum();
    }

    /** GPUs of pods that run. */
    public double gpusUsed() {
        return gpusUsed / 1000.0;
    }

    /** Of all machines, up to now. */
    public double cost() {
        return pools().values().stream().mapToDouble(PoolUse::cost).sum();
    }

    /** By pool, up to now. */
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
                var use = new Use(Pods.node(after).orElseThrow(), GpuShares.usedBy(after));
                uses.put(uid, use);
                useGpus(use.thousandths());
                var since = created.get(uid);
                if (since != null) {
                    waits = ran < waits.length ? waits : Arrays.copyOf(waits, 2 * ran);
                    waits[ran++] = time.nanos() - since;
                }
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
            lost += started.remove(uid) ? 1 : 0;
            endUse(uid);
        }
    }
}
