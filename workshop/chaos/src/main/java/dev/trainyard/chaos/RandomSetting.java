package dev.trainyard.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.Chance;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A random configuration of pools, tiers and clouds, with a {@link RandomWorkload}, made from a seed. The configuration is small, because
 * small clusters show errors sooner.
 */
final class RandomSetting {

    private static final Instant START = Instant.parse("2026-01-05T00:00:00Z");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization OBJECTS = new KubernetesSerialization();

    private final Chance chance;
    private final Chance silence;
    private final Chance answers;
    private final Chance resumable;
    private final Chance living;
    private final Chance whole;
    private final Chance sick;
    private final Chance equal;
    private final List<TrainingPool> pools = new ArrayList<>();
    private final List<TwinPools> kinds = new ArrayList<>();
    private final List<TrainingTier> tiers = new ArrayList<>();
    private final Map<String, Behaviour> behaviours = new HashMap<>();

    private RandomSetting(Chance chance) {
        this.chance = chance.of("plot");
        this.silence = chance.of("silence");
        this.answers = chance.of("answers");
        this.resumable = chance.of("resumable");
        this.living = chance.of("living with spot");
        this.whole = chance.of("whole gangs");
        this.sick = chance.of("sick");
        this.equal = chance.of("equally preferred");
    }

    static World.Setting of(long seed) {
        var plot = new RandomSetting(new Chance(seed));
        plot.configure();
        return new World.Setting(
                START,
                plot.pools,
                plot.tiers,
                new RandomWorkload(new Chance(seed), plot.chance, plot.kinds).workload(),
                plot::behaviour,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                seed);
    }

    private void configure() {
        int number = 1 + chance.number(2);
        for (int kind = 0; kind < number; kind++) {
            int gpus = kind == 0 ? 1 << chance.number(4) : 2 * kinds.get(0).gpus();
            var names = new ArrayList<String>();
            int together = 0;
            for (var type : equal.happens(0.3) ? List.of("spot", "spot", "on-demand") : List.of("spot", "on-demand")) {
                var name = "g%d-%s%s".formatted(gpus, type, names.contains("g%d-%s".formatted(gpus, type)) ? "-2" : "");
                names.add(name);
                together = Math.max(together, pool(name, type, gpus));
            }
            kinds.add(new TwinPools(gpus, together));
            tier("tier-" + gpus, names, kind == 0 ? "{max: %d}".formatted(gpus) : "{min: %d}".formatted(gpus / 2 + 1));
        }
    }

    /**
     * Adds a pool.
     *
     * @return the largest number of the pool's machines that can exist, regardless of the other pools
     */
    private int pool(String name, String type, int gpus) {
        boolean aws = chance.happens(0.5);
        int max = 3 + chance.number(8);
        var pool = JSON.createObjectNode();
        pool.put("apiVersion", Names.GROUP + "/" + Names.VERSION).put("kind", "TrainingPool");
        pool.withObject("/metadata").put("name", name);
        var spec = pool.withObject("/spec");
        spec.withObject("/provider/kwok");
        spec.put("capacityType", type).put("max", max).put("hourlyPrice", "1");
        spec.put("min", chance.happens(0.2) ? 1 : 0).put("spare", chance.happens(0.2) ? 1 : 0);
        spec.put("provisionTimeout", "8m");
        // The times are short and the utilization thresholds are high, so that machines are drained often.
        spec.withObject("/scaleDown")
                .put("idleAfter", "%ds".formatted(60 + chance.number(240)))
                .put("drainGrace", "%ds".formatted(60 + chance.number(540)))
                .put("utilizationBelow", chance.happens(0.5) ? "0.5" : "0.8");
        spec.withObject("/scaleDown/sick")
                .put("keepFor", "%ds".formatted(sick.happens(0.5) ? 0 : sick.number(600)))
                .put("atMost", sick.happens(0.5) ? "10%" : Integer.toString(1 + sick.number(3)));
        var promise = spec.withObject("/promise");
        promise.withObject("/labels").put("gpu", "true");
        promise.withObject("/allocatable")
                .put("cpu", Integer.toString(8 * gpus))
                .put("memory", 32 * gpus + "Gi")
                .put("nvidia.com/gpu", Integer.toString(gpus));
        pools.add(OBJECTS.convertValue(pool, TrainingPool.class));
        int stock = chance.happens(0.3) ? chance.number(4) : 100;
        behaviours.put(
                name,
                new Behaviour(
                        aws ? Group.AUTO_SCALING_GROUP : Group.SCALE_SET,
                        stock,
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20 + chance.number(120)),
                        Duration.ofSeconds(chance.number(90)),
                        failure(),
                        Duration.ofSeconds(10 + chance.number(90)),
                        type.equals("spot") && chance.happens(0.5)
                                ? Optional.of(Duration.ofHours(1))
                                : Optional.empty(),
                        Duration.ZERO,
                        !aws && chance.happens(0.3),
                        answers()));
        return Math.min(max, stock);
    }

    /** Returns the time until a cloud reports a failed request. Some clouds report so late that the scaler's own timeout comes first. */
    private Duration failure() {
        var told = Duration.ofSeconds(5 + chance.number(60));
        return silence.happens(0.5) ? told.plusMinutes(10) : told;
    }

    /** Returns the timing and limits of a cloud's answers. Some lists are stale, and some clouds accept few calls. */
    private Behaviour.Answers answers() {
        return new Behaviour.Answers(
                answers.happens(0.5) ? Duration.ofSeconds(1 + answers.number(20)) : Duration.ZERO,
                answers.happens(0.5) ? 7 + answers.number(4) : Integer.MAX_VALUE);
    }

    private void tier(String name, List<String> names, String gpus) {
        tiers.add(OBJECTS.unmarshal(
                """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s], fallbackAfter: %ds, default: {gpus: %s}, resumable: %b%s%s}
                """.formatted(
                                name,
                                String.join(", ", names),
                                30 + chance.number(300),
                                gpus,
                                resumable.happens(0.7),
                                livingWithSpot(),
                                equallyPreferred(names)),
                TrainingTier.class));
    }

    /** Returns the setting that prefers two neighbouring pools equally, which may be a spot pool and an on-demand pool. */
    private String equallyPreferred(List<String> names) {
        boolean wanted = names.size() > 2 || equal.happens(0.1);
        int first = equal.number(names.size() - 1);
        return wanted ? ", equallyPreferred: [[%s, %s]]".formatted(names.get(first), names.get(first + 1)) : "";
    }

    /** Returns settings of a tier about what follows a reclaim. */
    private String livingWithSpot() {
        var settings = new StringBuilder();
        if (living.happens(0.4)) {
            settings.append(", returnToSpot: {after: %ds, atMost: %d}"
                    .formatted(60 + living.number(840), 1 + living.number(6)));
        }
        if (living.happens(0.4)) {
            settings.append(", gangsLeaveTogether: true");
        }
        if (whole.happens(0.5)) {
            settings.append(", gangs: whole");
        }
        return settings.toString();
    }

    private Behaviour behaviour(Pool pool) {
        var behaviour = behaviours.get(pool.name());
        if (behaviour == null) {
            throw new IllegalStateException("the random setting has no pool " + pool.name());
        }
        return behaviour;
    }
}
