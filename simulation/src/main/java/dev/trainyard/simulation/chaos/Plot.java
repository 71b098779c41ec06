package dev.trainyard.simulation.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Pools, tiers, clouds and a workload, made up from a seed. Small, since what is wrong shows in what is small, and sooner. */
final class Plot {

    /** When the last thing is created. */
    static final Duration ARRIVALS = Duration.ofMinutes(90);

    private static final Instant START = Instant.parse("2026-01-05T00:00:00Z");
    private static final String NAMESPACE = "team";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization OBJECTS = new KubernetesSerialization();

    private final Chance chance;
    private final Chance silence;
    private final Chance protection;
    private final List<TrainingPool> pools = new ArrayList<>();
    /** GPUs of the machines of each kind. */
    private final List<Integer> sizes = new ArrayList<>();

    private final List<TrainingTier> tiers = new ArrayList<>();
    private final Map<String, Behaviour> behaviours = new HashMap<>();

    private Plot(Chance chance) {
        this.chance = chance.of("plot");
        this.silence = chance.of("silence");
        this.protection = chance.of("budgets");
    }

    static World.Setting of(long seed) {
        var plot = new Plot(new Chance(seed));
        plot.configure();
        return new World.Setting(
                START,
                plot.pools,
                plot.tiers,
                plot.workload(),
                plot::behaviour,
                Duration.ofSeconds(10),
                Duration.ofMillis(200),
                seed);
    }

    private void configure() {
        int kinds = 1 + chance.number(2);
        for (int kind = 0; kind < kinds; kind++) {
            int gpus = kind == 0 ? 1 << chance.number(4) : 2 * sizes.get(0);
            sizes.add(gpus);
            var names = new ArrayList<String>();
            for (var type : List.of("spot", "on-demand")) {
                var name = "g%d-%s".formatted(gpus, type);
                names.add(name);
                pool(name, type, gpus);
            }
            tier("tier-" + gpus, names, kind == 0 ? "{max: %d}".formatted(gpus) : "{min: %d}".formatted(gpus / 2 + 1));
        }
    }

    private void pool(String name, String type, int gpus) {
        boolean aws = chance.happens(0.5);
        var pool = JSON.createObjectNode();
        pool.put("apiVersion", Names.GROUP + "/" + Names.VERSION).put("kind", "TrainingPool");
        pool.withObject("/metadata").put("name", name);
        var spec = pool.withObject("/spec");
        spec.withObject("/provider/kwok");
        spec.put("capacityType", type).put("max", 3 + chance.number(8)).put("hourlyPrice", "1");
        spec.put("min", chance.happens(0.2) ? 1 : 0).put("spare", chance.happens(0.2) ? 1 : 0);
        spec.put("provisionTimeout", "8m");
        // Short, and much counts as little use, so that machines are emptied often.
        spec.withObject("/scaleDown")
                .put("idleAfter", "%ds".formatted(60 + chance.number(240)))
                .put("drainGrace", "%ds".formatted(60 + chance.number(540)))
                .put("utilizationBelow", chance.happens(0.5) ? "0.5" : "0.8");
        var promise = spec.withObject("/promise");
        promise.withObject("/labels").put("gpu", "true");
        promise.withObject("/allocatable")
                .put("cpu", Integer.toString(8 * gpus))
                .put("memory", 32 * gpus + "Gi")
                .put("nvidia.com/gpu", Integer.toString(gpus));
        pools.add(OBJECTS.convertValue(pool, TrainingPool.class));
        behaviours.put(
                name,
                new Behaviour(
                        aws ? Group.AUTO_SCALING_GROUP : Group.SCALE_SET,
                        chance.happens(0.3) ? chance.number(4) : 100,
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20 + chance.number(120)),
                        Duration.ofSeconds(chance.number(90)),
                        failure(),
                        Duration.ofSeconds(10 + chance.number(90)),
                        type.equals("spot") && chance.happens(0.5)
                                ? Optional.of(Duration.ofHours(1))
                                : Optional.empty(),
                        !aws && chance.happens(0.3)));
    }

    /** Some clouds say nothing for long of what they cannot give: patience has to end. */
    private Duration failure() {
        var told = Duration.ofSeconds(5 + chance.number(60));
        return silence.happens(0.5) ? told.plusMinutes(10) : told;
    }

    private void tier(String name, List<String> names, String gpus) {
        tiers.add(OBJECTS.unmarshal(
                """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s], fallbackAfter: %ds, default: {gpus: %s}}
                """.formatted(name, String.join(", ", names), 30 + chance.number(300), gpus), TrainingTier.class));
    }

    private Behaviour behaviour(Pool pool) {
        var behaviour = behaviours.get(pool.name());
        if (behaviour == null) {
            throw new IllegalStateException("no pool " + pool.name());
        }
        return behaviour;
    }

    private Workload workload() {
        var tasks = new ArrayList<Task>();
        int bursts = 2 + chance.number(5);
        for (int burst = 0; burst < bursts; burst++) {
            var arrives = chance.between(Duration.ofSeconds(1), ARRIVALS);
            int jobs = 1 + chance.number(12);
            for (int job = 0; job < jobs; job++) {
                tasks.add(task("b%d-%d".formatted(burst, job), arrives));
            }
        }
        var services = IntStream.range(0, 2 + protection.number(3))
                .mapToObj(number -> service("s" + number))
                .toList();
        tasks.addAll(services);
        return new Workload(
                tasks, List.of(), services.stream().map(this::budget).toList());
    }

    /** Small and there for long, so that machines are little used on which it is. */
    private Task service(String name) {
        var pod = JSON.createObjectNode();
        pod.withObject("/metadata/labels").put("app", name);
        ObjectNode container = pod.withArray("/spec/containers").addObject();
        container.put("name", "main").put("image", "registry.example/serving:1");
        container.withObject("/resources/limits").put("nvidia.com/gpu", "1");
        return new Task(
                "Deployment",
                NAMESPACE,
                name,
                pod::deepCopy,
                1 + protection.number(4),
                1,
                protection.between(Duration.ofSeconds(1), ARRIVALS.dividedBy(2)),
                Optional.of(protection.between(Duration.ofMinutes(40), Duration.ofHours(3))));
    }

    /** Some allow nothing, some that one leaves, some two. */
    private PodDisruptionBudget budget(Task service) {
        int leave = protection.number(3);
        var allows = protection.happens(0.5)
                ? "maxUnavailable: " + leave
                : "minAvailable: " + Math.max(0, service.pods() - leave);
        return OBJECTS.unmarshal("""
                apiVersion: policy/v1
                kind: PodDisruptionBudget
                metadata: {name: %1$s, namespace: %2$s}
                spec: {%3$s, selector: {matchLabels: {app: %1$s}}}
                """.formatted(service.name(), service.namespace(), allows), PodDisruptionBudget.class);
    }

    private Task task(String name, Duration arrives) {
        int most = sizes.get(chance.number(sizes.size()));
        int gpus = chance.happens(0.5) ? 1 : 1 + chance.number(most);
        var pod = JSON.createObjectNode();
        pod.withObject("/metadata/labels").put("app", name);
        if (chance.happens(0.2)) {
            pod.withObject("/metadata/annotations").put(Names.DO_NOT_DISRUPT, "true");
        }
        ObjectNode container = pod.withArray("/spec/containers").addObject();
        container.put("name", "main").put("image", "registry.example/training:1");
        container.withObject("/resources/limits").put("nvidia.com/gpu", Integer.toString(gpus));
        container.withObject("/resources/requests").put("cpu", Integer.toString(1 + chance.number(4 * gpus)));
        if (chance.happens(0.2)) {
            int grace = 30 + chance.number(570);
            pod.withObject("/spec").put("terminationGracePeriodSeconds", grace);
            container.withObject("/lifecycle/preStop/sleep").put("seconds", grace);
        }
        boolean serves = chance.happens(0.15);
        return new Task(
                serves ? "Deployment" : chance.happens(0.1) ? "Pod" : "Job",
                NAMESPACE,
                name,
                pod::deepCopy,
                serves ? 1 + chance.number(3) : 1,
                1,
                arrives,
                Optional.of(chance.between(Duration.ofSeconds(20), Duration.ofMinutes(40))));
    }
}
