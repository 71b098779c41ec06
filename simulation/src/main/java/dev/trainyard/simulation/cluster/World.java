package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.Round;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.CloudModel;
import dev.trainyard.simulation.cloud.Fleet;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import dev.trainyard.simulation.workload.YamlWorkload;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A cluster with our three components, its users and its clouds: everything is wired here. Time passes when {@link #passTo} is called. The
 * same seed gives the same run.
 */
public final class World {

    /**
     * What there is at first.
     *
     * @param start what the clock on the wall says then
     * @param settings of the cluster
     * @param behaviours of the clouds, for each pool
     * @param scanInterval as the scaler's flag
     * @param batchWindow as the scaler's flag
     * @param seed of all that is left to chance
     */
    public record Setting(
            Instant start,
            Collection<TrainingPool> pools,
            Collection<TrainingTier> tiers,
            Collection<TrainingCluster> settings,
            Workload workload,
            Function<Pool, Behaviour> behaviours,
            Duration scanInterval,
            Duration batchWindow,
            long seed) {

        /** With the default settings of the cluster. */
        public Setting(
                Instant start,
                Collection<TrainingPool> pools,
                Collection<TrainingTier> tiers,
                Workload workload,
                Function<Pool, Behaviour> behaviours,
                Duration scanInterval,
                Duration batchWindow,
                long seed) {
            this(start, pools, tiers, List.of(), workload, behaviours, scanInterval, batchWindow, seed);
        }
    }

    private final Setting setting;
    private final Chance chance;
    private final VirtualTime time;
    private final ApiServer server;
    private final CloudModel cloud;
    private final Kubelets kubelets;
    private final Owners owners;
    private final ExtenderModel extender;
    private final Admission admission;
    private final Evictions evictions;
    private final Iterator<Task> tasks;
    private final Record record;
    private final Disturbance disturbance;
    private final Lease lease = new Lease();
    private final TreeMap<Integer, Replica> replicas = new TreeMap<>();
    private int processes;
    private Optional<Task> next = Optional.empty();

    /** A world in which nothing goes wrong but what {@link Setting#behaviours} say. */
    public World(Setting setting) {
        this(setting, new VirtualTime(setting.start()), Disturbance.NONE);
    }

    /**
     * @param time in which it is, from its start on
     * @param disturbance what else goes wrong
     */
    public World(Setting setting, VirtualTime time, Disturbance disturbance) {
        this.setting = setting;
        this.chance = new Chance(setting.seed());
        this.time = time;
        this.disturbance = disturbance;
        this.server = new ApiServer(time);
        setting.pools().forEach(pool -> server.pools().create(fresh(new TrainingPool(), pool)));
        setting.tiers().forEach(tier -> server.tiers().create(fresh(new TrainingTier(), tier)));
        setting.settings().forEach(object -> server.settings().create(fresh(new TrainingCluster(), object)));
        namespaces(setting.workload()).forEach(server.namespaces()::create);
        setting.workload()
                .priorityClasses()
                .forEach(priority -> server.priorityClasses().create(new PriorityClassBuilder(priority).build()));
        this.record = new Record(time, server);
        this.kubelets = new Kubelets(time, server, Lag.USUAL, World::runsFor);
        this.cloud = new CloudModel(time, new Machines(), setting.behaviours(), chance.of("cloud"), disturbance);
        this.extender = new ExtenderModel(server, time, Lag.USUAL, PolicyName.FRAGMENTATION);
        new Scheduler(
                time,
                server,
                disturbance.lacks(Component.EXTENDER) ? Optional.empty() : Optional.of(extender),
                disturbance::refuses,
                Lag.USUAL);
        setting.workload()
                .budgets()
                .forEach(budget -> server.budgets().create(new PodDisruptionBudgetBuilder(budget).build()));
        this.evictions = new Evictions(time, server);
        if (server.budgets().size() > 0) {
            evictions.reckonByItself(Lag.USUAL);
        }
        this.admission =
                new Admission(server, !disturbance.lacks(Component.WEBHOOK), GpuShares.areOfferedBy(setting.pools()));
        this.owners = new Owners(time, server, admission, evictions, record::dismissed, Lag.USUAL);
        if (disturbance.replicas() == 0 && !disturbance.lacks(Component.SCALER)) {
            scaler(() -> true, Interference.NONE, () -> {});
        }
        for (int number = 0; number < disturbance.replicas(); number++) {
            replica(number);
        }
        this.tasks = setting.workload().tasks().iterator();
        planNext();
    }

    /** The pool whose machine runs under that name, as its cloud knows; empty also while the pool's specification cannot be used. */
    public Optional<Pool> poolOf(String machine) {
        return catalogue().pools().values().stream()
                .filter(pool -> cloud.running(pool.name()).contains(machine))
                .findFirst();
    }

    private ScalerProcess scaler(BooleanSupplier leads, Interference interference, Runnable died) {
        return new ScalerProcess(
                time,
                server,
                evictions,
                cloud,
                new ScalerProcess.Habits(
                        setting.scanInterval(), setting.batchWindow(), Planner.DEFAULT_PRIORITY_CUTOFF),
                disturbance.lag(),
                chance.of("scaler" + processes++),
                disturbance.herald(),
                leads,
                interference,
                new Rounds(),
                died);
    }

    private void replica(int number) {
        replicas.put(
                number,
                new Replica(
                        "scaler-" + processes++,
                        time,
                        lease,
                        replica -> scaler(replica.tenure()::lasts, disturbance.interference(replica), replica::kill),
                        () -> time.after(disturbance.restart(), () -> replica(number))));
    }

    /** The processes of the scaler that stand for election. */
    public Collection<Replica> replicas() {
        return List.copyOf(replicas.values());
    }

    /** A node of somebody else joins, with all that a pool's nodes have but a machine of the pool. */
    public void joinForeign(Pool pool, String node) {
        kubelets.join(pool, node, "foreign://" + node, Duration.ZERO);
        server.nodes()
                .changeIfThere(
                        node,
                        joined -> new NodeBuilder(joined)
                                .editMetadata()
                                .addToLabels(Names.POOL, pool.name())
                                .endMetadata()
                                .build());
    }

    /** The machine of such a node is gone. */
    public void leaveForeign(String node) {
        kubelets.stop(node, true);
    }

    /** The machine of that name hangs: its cloud does not know. */
    public void hang(String machine) {
        kubelets.stop(machine, false);
    }

    /** A container of that pod hangs in the kernel: it ends only with its machine. */
    public void stick(Pod pod) {
        kubelets.stick(pod);
    }

    /** Whether the kubelet of that machine runs. */
    public boolean lives(String machine) {
        return kubelets.lives(machine);
    }

    /** A cloud takes back a spot machine. */
    public void takeBack(String pool, String machine) {
        pool(pool).ifPresent(of -> cloud.evict(of, machine));
    }

    /** Somebody deletes a machine in the cloud's console. */
    public void removeByHand(String pool, String machine) {
        pool(pool).ifPresent(of -> cloud.removeByHand(of, machine));
    }

    /** Somebody changes the size of a pool in the cloud's console, as far as there are no machines to lose. */
    public void resizeByHand(String pool, int by) {
        pool(pool).ifPresent(of -> cloud.resizeByHand(of, by));
    }

    private Optional<Pool> pool(String name) {
        return Optional.ofNullable(catalogue().pools().get(name));
    }

    /** The pools and tiers that can be used. */
    public Catalogue catalogue() {
        return Catalogues.of(
                server.pools().all(), server.tiers().all(), server.settings().all());
    }

    /** The Eviction API, and deletion. */
    public Evictions evictions() {
        return evictions;
    }

    public VirtualTime time() {
        return time;
    }

    public ApiServer server() {
        return server;
    }

    public CloudModel cloud() {
        return cloud;
    }

    public Record record() {
        return record;
    }

    /** A user creates something now, whatever it says of when it arrives. */
    public void create(Task task) {
        owners.create(task);
    }

    /** A user sets how many pods a Deployment, StatefulSet or ReplicaSet has. @throws IllegalArgumentException when there is none of that name */
    public void scale(String namespace, String name, int replicas) {
        owners.scale(namespace, name, replicas);
    }

    /** What users created, as far as it is not over for long. */
    public List<Owned> owned() {
        return owners.owned();
    }

    /** Jobs of which more pods were lost than their {@code backoffLimit} allows. */
    public int failedJobs() {
        return owners.failedJobs();
    }

    /** How often the scheduler asked the extender which nodes will do. */
    public long extenderCalls() {
        return extender.calls();
    }

    /** Pods that were not admitted, by the reason. */
    public Map<String, Integer> refused() {
        return admission.refused();
    }

    /** Lets time pass. */
    public void passTo(Duration sinceStart) {
        time.passTo(sinceStart.toNanos());
    }

    /** Whether users create nothing any more. */
    public boolean everythingCame() {
        return next.isEmpty();
    }

    /** Whether a pod runs that ends by itself. */
    public boolean willAnyEnd() {
        return server.pods().all().stream()
                .anyMatch(pod -> "Running".equals(pod.getStatus().getPhase())
                        && runsFor(pod).isPresent());
    }

    /** Whether all that users created has come and gone, as far as it ends by itself. */
    public boolean isOver() {
        return everythingCame() && !owners.isBusy();
    }

    private static Collection<Namespace> namespaces(Workload workload) {
        var names = new LinkedHashSet<String>();
        workload.tasks().forEach(task -> names.add(task.namespace()));
        return names.stream()
                .map(name -> new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels("kubernetes.io/metadata.name", name)
                        .endMetadata()
                        .build())
                .toList();
    }

    /** As a user writes it: a server gives it an identity, and another run another one. */
    private static <S, U, T extends CustomResource<S, U>> T fresh(T copy, T object) {
        copy.setMetadata(new ObjectMetaBuilder()
                .withName(object.getMetadata().getName())
                .withLabels(object.getMetadata().getLabels())
                .withAnnotations(object.getMetadata().getAnnotations())
                .build());
        copy.setSpec(object.getSpec());
        return copy;
    }

    /** One after the other, so that a long workload does not fill the future. */
    private void planNext() {
        next = tasks.hasNext() ? Optional.of(tasks.next()) : Optional.empty();
        next.ifPresent(task -> time.at(task.arrives().toNanos(), () -> {
            owners.create(task);
            planNext();
        }));
    }

    private static Optional<Duration> runsFor(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(YamlWorkload.DURATION))
                .map(Durations::parse);
    }

    private final class Rounds implements ScalerProcess.Rounds {
        @Override
        public void ended(Round.Result result) {
            record.round(result);
            disturbance.ended(result);
        }

        @Override
        public void failed(RuntimeException problem) {
            disturbance.failed(problem);
        }
    }

    private final class Machines implements Fleet {
        @Override
        public void made(Pool pool, String machine) {
            record.made(pool);
        }

        @Override
        public void booted(Pool pool, String machine, String providerId, Duration driver) {
            kubelets.join(pool, machine, providerId, driver);
        }

        @Override
        public void stopped(Pool pool, String machine) {
            kubelets.stop(machine, true);
            record.stopped(machine);
        }

        @Override
        public void gone(Pool pool, String machine) {
            record.gone(pool);
        }
    }
}
