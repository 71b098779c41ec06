package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.CloudModel;
import dev.trainyard.simulation.cloud.MachineObserver;
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
import java.util.stream.Stream;

/**
 * A simulated cluster: the three Trainyard components, the users and the clouds. This class connects them all. Time passes only in
 * {@link #passTo}. The same seed gives the same run.
 */
public final class World {

    /**
     * The initial state of a cluster.
     *
     * @param start the wall-clock time at the start
     * @param settings the TrainingCluster objects, which contain the cluster's settings
     * @param behaviours the behaviour of each pool's cloud
     * @param scanInterval the value of the scaler's flag {@code --scan-interval}
     * @param batchWindow the value of the scaler's flag {@code --batch-window}
     * @param seed the seed of all random decisions
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

        /** Creates a setting without TrainingCluster objects, so that the default settings apply. */
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
    private final SimulatedAdmission admission;
    private final Evictions evictions;
    private final Iterator<Task> tasks;
    private final SimulationRecord record;
    private final Disturbance disturbance;
    private final Trainings trainings = new Trainings();
    private final Lease lease = new Lease();
    private final TreeMap<Integer, Replica> replicas = new TreeMap<>();
    private int processes;
    private Optional<Task> next = Optional.empty();

    /** Creates a cluster without faults, except for the faults that {@link Setting#behaviours} describe. */
    public World(Setting setting) {
        this(setting, new VirtualTime(setting.start()), Disturbance.NONE);
    }

    /**
     * @param time the virtual time, which has not advanced yet
     * @param disturbance the faults to inject, in addition to those that {@link Setting#behaviours} describe
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
        this.record = new SimulationRecord(time, server);
        this.kubelets = new Kubelets(time, server, Lag.USUAL, trainings);
        this.cloud = new CloudModel(time, new Machines(), setting.behaviours(), chance.of("cloud"), disturbance);
        this.extender = new ExtenderModel(server, time, Lag.USUAL, PolicyName.FRAGMENTATION);
        new Scheduler(
                time,
                server,
                disturbance.lacks(SimulatedComponent.EXTENDER) ? Optional.empty() : Optional.of(extender),
                disturbance::refuses,
                Lag.USUAL);
        setting.workload()
                .budgets()
                .forEach(budget -> server.budgets().create(new PodDisruptionBudgetBuilder(budget).build()));
        this.evictions = new Evictions(time, server);
        if (server.budgets().size() > 0) {
            evictions.reckonByItself(Lag.USUAL);
        }
        this.admission = new SimulatedAdmission(
                server, !disturbance.lacks(SimulatedComponent.WEBHOOK), GpuShares.areOfferedBy(setting.pools()));
        this.owners = new Owners(time, server, admission, evictions, record, Lag.USUAL);
        if (disturbance.replicas() == 0 && !disturbance.lacks(SimulatedComponent.SCALER)) {
            scaler(() -> true, Interference.NONE, () -> {});
        }
        for (int number = 0; number < disturbance.replicas(); number++) {
            replica(number);
        }
        this.tasks = setting.workload().tasks().iterator();
        planNext();
    }

    /** Returns the pool of a running machine, according to its cloud; empty if no valid pool has such a machine. */
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
                disturbance.eventReporter(),
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
                        replica -> scaler(
                                replica.leaseValidity()::lasts, disturbance.interference(replica), replica::kill),
                        () -> time.after(disturbance.restart(), () -> replica(number))));
    }

    /** Returns the scaler processes that take part in the leader election. */
    public Collection<Replica> replicas() {
        return List.copyOf(replicas.values());
    }

    /** Adds a node with the labels, taints and resources of a pool's nodes. The node belongs to no machine of the pool. */
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

    /** Removes the machine of a node that {@link #joinForeign} added. */
    public void leaveForeign(String node) {
        kubelets.stop(node, true);
    }

    /** Makes a machine hang. The cloud still reports the machine as running. */
    public void hang(String machine) {
        kubelets.stop(machine, false);
    }

    /**
     * Cordons a node, or lifts its cordon, as a person does with kubectl. Does nothing if there is no such node.
     *
     * @param on whether the node is cordoned afterwards
     */
    public void cordon(String node, boolean on) {
        server.nodes()
                .changeIfThere(
                        node,
                        before -> new NodeBuilder(before)
                                .editSpec()
                                .withUnschedulable(on ? Boolean.TRUE : null)
                                .endSpec()
                                .build());
    }

    /** Makes a container of the pod hang in the kernel, so that the pod ends only with its machine. */
    public void stick(Pod pod) {
        kubelets.stick(pod);
    }

    /** Whether the kubelet of that machine runs. */
    public boolean lives(String machine) {
        return kubelets.lives(machine);
    }

    /** Whether a pod on the node has not ended. */
    public boolean isBusy(String node) {
        return server.pods().all().stream()
                .anyMatch(pod -> node.equals(pod.getSpec().getNodeName()) && !Pods.ended(pod));
    }

    /** Makes the cloud reclaim a spot machine. */
    public void takeBack(String pool, String machine) {
        pool(pool).ifPresent(of -> cloud.evict(of, machine));
    }

    /**
     * Makes the cloud announce the reclaim of a spot machine, and then reclaim it. An agent on the node sets the condition of Azure's node
     * problem detector.
     *
     * @param lead the time from the announcement until the reclaim
     */
    public void announceReclaim(String pool, String machine, Duration lead) {
        announce(machine, lead);
        time.after(lead, () -> takeBack(pool, machine));
    }

    private void announce(String machine, Duration lead) {
        record.reclaims().announced(machine, lead);
        server.nodes().changeIfThere(machine, before -> NoticeSign.STATED.put(before, time.instant(), lead));
    }

    /** Deletes a machine, as a person does in the cloud's console. */
    public void removeByHand(String pool, String machine) {
        pool(pool).ifPresent(of -> cloud.removeByHand(of, machine));
    }

    /** Changes the size of a pool by {@code by} machines, as a person does in the cloud's console. No machine is removed. */
    public void resizeByHand(String pool, int by) {
        pool(pool).ifPresent(of -> cloud.resizeByHand(of, by));
    }

    private Optional<Pool> pool(String name) {
        return Optional.ofNullable(catalogue().pools().get(name));
    }

    /** Returns the valid pools and tiers. */
    public Catalogue catalogue() {
        return admission.catalogue();
    }

    /** Returns the API that evicts and deletes pods. */
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

    public SimulationRecord record() {
        return record;
    }

    /** Creates the objects of a task now, as a user does. The task's own arrival time is ignored. */
    public void create(Task task) {
        owners.create(task);
    }

    /**
     * Sets the number of pods of a Deployment, StatefulSet or ReplicaSet, as a user does.
     *
     * @throws IllegalArgumentException if no owner has that name
     */
    public void scale(String namespace, String name, int replicas) {
        owners.scale(namespace, name, replicas);
    }

    /** Returns the workload objects that users created. Ended objects are left out, except Jobs that ended in the last five minutes. */
    public List<OwnerState> owned() {
        return owners.owned();
    }

    /** Returns how many Jobs lost more pods than their {@code backoffLimit} allows. */
    public int failedJobs() {
        return owners.failedJobs();
    }

    /** Returns how many Jobs completed by their deadline. */
    public int metDeadlines() {
        return owners.metDeadlines();
    }

    /** Returns how many Jobs did not complete by their deadline, which has passed. */
    public int missedDeadlines() {
        return owners.missedDeadlines();
    }

    /** Returns how often the scheduler called the extender's filter. */
    public long extenderCalls() {
        return extender.calls();
    }

    /** Returns the number of pods that admission refused, by reason. */
    public Map<String, Integer> refused() {
        return admission.refused();
    }

    /** Lets time pass until {@code sinceStart} after the start. */
    public void passTo(Duration sinceStart) {
        time.passTo(sinceStart.toNanos());
    }

    /** Whether users have created all objects of the workload. */
    public boolean allTasksCreated() {
        return next.isEmpty();
    }

    /** Whether any running pod will end by itself. */
    public boolean willAnyEnd() {
        return server.pods().all().stream()
                .anyMatch(pod -> "Running".equals(pod.getStatus().getPhase())
                        && runsFor(pod).isPresent());
    }

    /** Whether users have created all objects of the workload, and all Jobs and bare Pods have ended. */
    public boolean isOver() {
        return allTasksCreated() && !owners.isBusy();
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

    /**
     * Copies the fields that a user writes. Each run needs its own copy, because the run's API server sets further fields, such as the UID.
     */
    private static <S, U, T extends CustomResource<S, U>> T fresh(T copy, T object) {
        copy.setMetadata(new ObjectMetaBuilder()
                .withName(object.getMetadata().getName())
                .withLabels(object.getMetadata().getLabels())
                .withAnnotations(object.getMetadata().getAnnotations())
                .build());
        copy.setSpec(object.getSpec());
        return copy;
    }

    /** Schedules only the next task, so that the queue of scheduled actions stays short. */
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

    /** The containers of trainings. A pod of a tier with {@code checkpoint.grace} takes this time to save its state. */
    private final class Trainings implements Kubelets.Containers {
        @Override
        public Optional<Duration> runFor(Pod pod) {
            return World.runsFor(pod);
        }

        @Override
        public Duration saveFor(Pod pod) {
            Map<String, Tier> tiers = catalogue().tiers();
            return Optional.ofNullable(pod.getMetadata().getAnnotations())
                    .map(annotations -> annotations.get(Names.TIER))
                    .map(tiers::get)
                    .map(tier -> tier.checkpoint().grace())
                    .orElse(Duration.ZERO);
        }

        @Override
        public void saved(Pod pod) {
            var done = record.saved(pod.getMetadata().getUid(), saveFor(pod));
            runFor(pod)
                    .map(all -> all.minus(done))
                    .ifPresent(left -> owners.saved(pod, left.isNegative() ? Duration.ZERO : left));
        }

        @Override
        public void interrupted(Pod pod) {
            restartCost(pod).ifPresent(cost -> {
                var kept = record.ran(pod.getMetadata().getUid()).minus(cost);
                runFor(pod)
                        .map(all -> kept.isNegative() ? all : all.minus(kept))
                        .ifPresent(left -> owners.saved(pod, left.isNegative() ? Duration.ZERO : left));
            });
        }
    }

    /** Returns how much work an interruption costs, for a pod that saves checkpoints all the time; empty for other pods. */
    static Optional<Duration> restartCost(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .flatMap(annotations -> Stream.of(Names.RESTART_COST, YamlWorkload.RESTART_COST)
                        .flatMap(name -> Stream.ofNullable(annotations.get(name)))
                        .findFirst())
                .map(Durations::parse);
    }

    private final class Machines implements MachineObserver {
        @Override
        public void made(Pool pool, String machine) {
            record.made(pool);
        }

        @Override
        public void booted(Pool pool, String machine, String providerId, Duration driver) {
            if (!disturbance.neverJoins(machine)) {
                kubelets.join(pool, machine, providerId, driver);
            }
        }

        @Override
        public void announced(Pool pool, String machine, Duration lead) {
            announce(machine, lead);
        }

        @Override
        public void reclaimed(Pool pool, String machine) {
            record.reclaimed(machine);
        }

        @Override
        public void stopped(Pool pool, String machine) {
            kubelets.stop(machine, true);
            server.pods().all().stream()
                    .filter(pod -> Pods.node(pod).filter(machine::equals).isPresent()
                            && "Running".equals(pod.getStatus().getPhase()))
                    .forEach(trainings::interrupted);
            record.stopped(machine);
        }

        @Override
        public void gone(Pool pool, String machine) {
            record.gone(pool, machine);
        }
    }
}
