package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.filter.CpuPodsOnGpuNodes;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
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
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.function.Function;

/**
 * A cluster with our three components, its users and its clouds: everything is wired here. Time passes when {@link #passTo} is called. The
 * same seed gives the same run.
 */
public final class World {

    /** Annotation: how long a pod runs, as on the local control plane. */
    static final String RUNS_FOR = "trainyard.dev/simulated-duration";

    private final VirtualTime time;
    private final ApiServer server;
    private final CloudModel cloud;
    private final Kubelets kubelets;
    private final Owners owners;
    private final Admission admission;
    private final Iterator<Task> tasks;
    private final Record record;
    private Optional<Task> next = Optional.empty();

    /**
     * @param start what the clock on the wall says then
     * @param behaviours of the clouds, for each pool
     */
    public World(
            Instant start,
            Collection<TrainingPool> pools,
            Collection<TrainingTier> tiers,
            Workload workload,
            Function<Pool, Behaviour> behaviours,
            Duration scanInterval,
            Duration batchWindow,
            long seed) {
        var chance = new Chance(seed);
        this.time = new VirtualTime(start);
        this.server = new ApiServer(time);
        pools.forEach(pool -> server.pools().create(fresh(new TrainingPool(), pool)));
        tiers.forEach(tier -> server.tiers().create(fresh(new TrainingTier(), tier)));
        namespaces(workload).forEach(server.namespaces()::create);
        this.record = new Record(time, server);
        this.kubelets = new Kubelets(time, server, Lag.USUAL, World::runsFor);
        this.cloud = new CloudModel(time, new Machines(), behaviours, chance.of("cloud"));
        var extender = new ExtenderModel(server, Lag.USUAL, CpuPodsOnGpuNodes.LAST, PolicyName.FRAGMENTATION);
        new Scheduler(time, server, extender, Lag.USUAL);
        var evictions = new Evictions(time, server);
        this.admission = new Admission(server);
        this.owners = new Owners(time, server, admission, evictions, Lag.USUAL);
        new ScalerProcess(
                time,
                server,
                evictions,
                cloud,
                new ScalerProcess.Habits(scanInterval, batchWindow, Planner.DEFAULT_PRIORITY_CUTOFF),
                Lag.USUAL,
                chance.of("scaler"),
                record::told,
                record::round);
        this.tasks = workload.tasks().iterator();
        planNext();
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

    /** Pods that the webhook refused. */
    public int refused() {
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
                .map(annotations -> annotations.get(RUNS_FOR))
                .map(Durations::parse);
    }

    private final class Machines implements Fleet {
        @Override
        public void made(Pool pool, String machine) {
            record.made(pool, machine);
        }

        @Override
        public void booted(Pool pool, String machine, String providerId, Duration driver) {
            kubelets.join(pool, machine, providerId, driver);
        }

        @Override
        public void stopped(Pool pool, String machine) {
            kubelets.stop(machine, true);
        }

        @Override
        public void gone(Pool pool, String machine) {
            record.gone(pool, machine);
        }
    }
}
