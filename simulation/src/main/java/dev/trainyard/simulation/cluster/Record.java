package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Round;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What happened, as far as a report tells of it. */
public final class Record {

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
    private final Map<String, Long> started = new HashMap<>();
    private final List<Duration> waits = new ArrayList<>();
    private double gpuSecondsUsed;
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

    void gone(Pool pool) {
        use(pool).change(-1, seconds());
    }

    void round(Round.Result result) {
        rounds++;
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

    /** From creation until the containers ran, of each pod that did. */
    public List<Duration> waits() {
        return List.copyOf(waits);
    }

    public double gpuHoursUsed() {
        return gpuSecondsUsed / 3600;
    }

    /** By pool, up to now. */
    public Map<String, PoolUse> pools() {
        pools.values().forEach(use -> use.change(0, seconds()));
        return pools;
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
                started.put(uid, time.nanos());
                var since = created.get(uid);
                if (since != null) {
                    waits.add(Duration.ofNanos(time.nanos() - since));
                }
            }
            if (Pods.ended(after) && !Pods.ended(before)) {
                count(after);
            }
        }

        @Override
        public void removed(Pod last) {
            created.remove(last.getMetadata().getUid());
            if (started.containsKey(last.getMetadata().getUid())) {
                lost++;
                count(last);
            }
        }

        private void count(Pod pod) {
            var since = started.remove(pod.getMetadata().getUid());
            if (since != null) {
                gpuSecondsUsed += PodReader.shapeOf(pod).gpus() * (time.nanos() - since) / 1e9;
            }
        }
    }
}
