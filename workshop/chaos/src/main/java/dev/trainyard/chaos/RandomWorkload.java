package dev.trainyard.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A random workload, made from a seed. */
final class RandomWorkload {

    /** The latest creation time of a task, from the start. */
    private static final Duration ARRIVALS = Duration.ofMinutes(90);

    /** The largest number of workers of a gang, without its chief. */
    private static final int MOST = 8;

    private static final String NAMESPACE = "team";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization OBJECTS = new KubernetesSerialization();

    private static final String URGENT = "urgent";
    /** The lowest priority for which machines are requested. */
    private static final String LEAST = "least";
    /** A priority for which no machines are requested. */
    private static final String FILLER = "filler";

    private final Chance chance;
    private final Chance protection;
    private final Chance gangs;
    private final Chance priorities;
    /** The kinds of machines. If there are two kinds, the larger kind is second. */
    private final List<TwinPools> kinds;

    /**
     * @param all the source from which the sources for budgets, gangs and priorities are derived
     * @param plot the source for bursts of tasks, from which {@link RandomSetting} has already drawn the configuration
     */
    RandomWorkload(Chance all, Chance plot, List<TwinPools> kinds) {
        this.chance = plot;
        this.protection = all.of("budgets");
        this.gangs = all.of("gangs");
        this.priorities = all.of("priorities");
        this.kinds = List.copyOf(kinds);
    }

    Workload workload() {
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
        for (int number = 0; number < kinds.size(); number++) {
            var kind = kinds.get(number);
            int fewest = number == 0 ? 1 : kinds.get(0).gpus() + 1; // pods with fewer GPUs match the other tier
            gangs("g" + number, kind, fewest).forEach(tasks::add);
        }
        if (priorities.happens(0.5)) {
            tasks.add(filler());
        }
        return new Workload(
                tasks,
                List.of(priorityClass(URGENT, 1000), priorityClass(LEAST, -10), priorityClass(FILLER, -11)),
                services.stream().map(this::budget).toList());
    }

    private Task task(String name, Duration arrives) {
        int most = kinds.get(chance.number(kinds.size())).gpus();
        int gpus = chance.happens(0.5) ? 1 : 1 + chance.number(most);
        var pod = pod(name, gpus);
        if (chance.happens(0.2)) {
            pod.withObject("/metadata/annotations").put(Names.DO_NOT_DISRUPT, "true");
        }
        container(pod).withObject("/resources/requests").put("cpu", Integer.toString(1 + chance.number(4 * gpus)));
        if (chance.happens(0.2)) {
            int grace = 30 + chance.number(570);
            pod.withObject("/spec").put("terminationGracePeriodSeconds", grace);
            container(pod).withObject("/lifecycle/preStop/sleep").put("seconds", grace);
        }
        if (priorities.happens(0.5)) {
            pod.withObject("/spec").put("priorityClassName", priorities.happens(0.5) ? URGENT : LEAST);
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

    /** Returns a small, long-running service. Its machines are little used, and so candidates for consolidation. */
    private Task service(String name) {
        return deployment(
                name,
                pod(name, 1),
                1 + protection.number(4),
                protection.between(Duration.ofSeconds(1), ARRIVALS.dividedBy(2)),
                protection.between(Duration.ofMinutes(40), Duration.ofHours(3)));
    }

    /** Returns the budget of a service. The budget allows zero, one or two disruptions. */
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

    /**
     * Returns the gangs of one kind of machine: one that ends by itself, and one that exists for a while.
     *
     * @param fewest the smallest number of GPUs with which a pod selects this kind of machine
     */
    private Stream<Task> gangs(String name, TwinPools kind, int fewest) {
        int gpus = fewest + gangs.number(kind.gpus() - fewest + 1);
        int room = kind.together() * (kind.gpus() / gpus);
        return room < 2 ? Stream.of() : Stream.concat(Stream.of(whole(name, gpus, room)), apart(name, kind, fewest));
    }

    /** Returns a gang that ends by itself. The gang is small enough for the machines that can exist at the same time. */
    private Task whole(String name, int gpus, int room) {
        int members = 2 + gangs.number(Math.min(room, MOST) - 1);
        return new Task(
                "Job",
                NAMESPACE,
                name,
                member(pod(name, gpus), name, members)::deepCopy,
                members,
                members,
                gangs.between(Duration.ofSeconds(1), ARRIVALS),
                Optional.of(gangs.between(Duration.ofMinutes(2), Duration.ofMinutes(20))));
    }

    /**
     * Returns the workers of a gang, and a chief that arrives later. In half of all cases the chief fits no machine of the pool. The trial
     * does not wait for such a gang to run.
     */
    private Stream<Task> apart(String name, TwinPools kind, int fewest) {
        int workers = 1 + gangs.number(MOST);
        var gang = name + "-apart";
        var worker = member(pod(gang, kind.gpus()), gang, workers + 1);
        var chief = member(pod(gang, fewest), gang, workers + 1);
        if (gangs.happens(0.5)) {
            // The chief is too large for the machines of every pool, even of pools outside its tier. While a pool is
            // invalid, its machines count as machines without a pool, and accept pods of any tier.
            int most = kinds.get(kinds.size() - 1).gpus();
            container(chief).withObject("/resources/requests").put("memory", 33 * most + "Gi");
        }
        var arrives = gangs.between(Duration.ofSeconds(1), ARRIVALS.dividedBy(2));
        var later = gangs.between(Duration.ZERO, Duration.ofMinutes(20));
        var runsFor = later.plus(gangs.between(Duration.ofMinutes(10), Duration.ofHours(1)));
        return Stream.of(
                deployment(gang + "-workers", worker, workers, arrives, runsFor),
                deployment(gang + "-chief", chief, 1, arrives.plus(later), runsFor.minus(later)));
    }

    private static ObjectNode member(ObjectNode pod, String gang, int size) {
        pod.withObject("/metadata/annotations").put(Names.GANG, gang).put(Names.GANG_SIZE, Integer.toString(size));
        return pod;
    }

    /** Returns pods of a priority for which no machines are requested. Each pod takes a whole idle machine. */
    private Task filler() {
        var pod = pod(FILLER, kinds.get(0).gpus());
        pod.withObject("/spec").put("priorityClassName", FILLER);
        return deployment(
                FILLER,
                pod,
                1 + priorities.number(4),
                priorities.between(Duration.ofSeconds(1), ARRIVALS),
                priorities.between(Duration.ofMinutes(10), Duration.ofHours(1)));
    }

    private static PriorityClass priorityClass(String name, int value) {
        return OBJECTS.unmarshal("""
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: %s}
                value: %d
                """.formatted(name, value), PriorityClass.class);
    }

    private static Task deployment(String name, ObjectNode pod, int pods, Duration arrives, Duration kept) {
        return new Task("Deployment", NAMESPACE, name, pod::deepCopy, pods, 1, arrives, Optional.of(kept));
    }

    private static ObjectNode pod(String name, int gpus) {
        var pod = JSON.createObjectNode();
        pod.withObject("/metadata/labels").put("app", name);
        pod.withArray("/spec/containers").addObject().put("name", "main").put("image", "registry.example/training:1");
        container(pod).withObject("/resources/limits").put("nvidia.com/gpu", Integer.toString(gpus));
        return pod;
    }

    private static ObjectNode container(ObjectNode pod) {
        return (ObjectNode) pod.at("/spec/containers/0");
    }
}
