package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.YamlWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The controllers that create the pods of Jobs, Deployments and similar owners, and replace lost pods. Ended pods are removed after a
 * while, so that memory use does not grow with time. Ended pods of a Job are removed together with the Job, as with
 * {@code ttlSecondsAfterFinished}.
 */
final class Owners {

    private static final Duration UNTIL_NOTICED = Duration.ofMillis(20);
    private static final Duration KEPT_FOR = Duration.ofMinutes(5);
    /**
     * The back-off of a Job after its first failure: {@code DefaultJobPodFailureBackOff} of {@code pkg/controller/job}. Each further
     * failure doubles the back-off.
     */
    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
    /** The longest back-off: {@code MaxJobPodFailureBackOff} of {@code pkg/controller/job}. */
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(10);

    private final VirtualTime time;
    private final ApiServer server;
    private final SimulatedAdmission admission;
    private final Evictions evictions;
    private final SimulationRecord record;
    private final Map<String, Owner> owners = new HashMap<>();
    /** Jobs that ended recently, by UID. */
    private final Map<String, Owner> ended = new LinkedHashMap<>();

    private final Map<String, Owner> byPod = new HashMap<>();
    private long named;
    private int failedJobs;
    private int metDeadlines;
    private int missedDeadlines;

    private static final class Owner {
        private final Task task;
        private final String uid;
        private final boolean ignoresEvictions;
        private final Optional<Instant> deadline;
        private final TreeSet<String> pods = new TreeSet<>();
        /** The keys of the ended pods of a Job that is still running, by pod UID. */
        private final Map<String, String> kept = new LinkedHashMap<>();
        /** The UIDs of lost pods that no pod has replaced yet. */
        private final ArrayDeque<String> lost = new ArrayDeque<>();
        /** The remaining run times from the checkpoints of lost pods, until other pods resume from there. */
        private final ArrayDeque<Duration> remaining = new ArrayDeque<>();
        /** The remaining run times from the last checkpoints of pods that have one, by the pod's key. */
        private final Map<String, Duration> checkpoints = new HashMap<>();

        private int replicas;
        private int failedInARow;
        private long mayMakeFrom;
        private int succeeded;
        private int failed;
        private boolean over;

        private Owner(Task task, String uid, boolean ignoresEvictions) {
            this.task = task;
            this.uid = uid;
            this.ignoresEvictions = ignoresEvictions;
            this.replicas = task.pods();
            var annotations = task.template().get().path("metadata").path("annotations");
            this.deadline = Stream.of(Names.DEADLINE, YamlWorkload.DEADLINE)
                    .filter(annotations::has)
                    .map(name -> Instant.parse(annotations.path(name).asText()))
                    .findFirst();
        }

        private int lacking() {
            if (over) {
                return 0;
            }
            int wanted = task.ends() ? Math.min(replicas, task.completions() - succeeded) : replicas;
            return wanted - pods.size();
        }

        private boolean isJob() {
            return task.kind().equals("Job");
        }

        private OwnerState standing() {
            var how = succeeded >= task.completions() ? "Complete" : "Failed";
            return new OwnerState(
                    task.kind(),
                    task.namespace(),
                    task.name(),
                    succeeded,
                    failed,
                    isJob() && over ? Optional.of(how) : Optional.empty());
        }
    }

    Owners(
            VirtualTime time,
            ApiServer server,
            SimulatedAdmission admission,
            Evictions evictions,
            SimulationRecord record,
            Lag lag) {
        this.time = time;
        this.server = server;
        this.admission = admission;
        this.evictions = evictions;
        this.record = record;
        server.pods().inform(lag).tell(new PodsSeen());
    }

    /** Creates the owner of a task, and its pods. */
    void create(Task task) {
        var owner = new Owner(
                task,
                "00000000-0000-4000-9000-%012d".formatted(named++),
                task.kind().equals("Job")
                        && admission.ignoresEvictions(task.template().get(), task.namespace()));
        owners.put(owner.uid, owner);
        makeUp(owner);
        if (!task.ends()) {
            task.runsFor().ifPresent(duration -> time.after(duration, () -> end(owner)));
        }
    }

    /** @throws IllegalArgumentException if no owner has that name */
    void scale(String namespace, String name, int replicas) {
        var owner = owners.values().stream()
                .filter(found -> found.task.namespace().equals(namespace)
                        && found.task.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no %s/%s".formatted(namespace, name)));
        owner.replicas = replicas;
        makeUp(owner);
        // Pods are deleted in the order of ReplicaSets: first terminating pods, then pods without a node, pods that are
        // not running, and the youngest pods.
        owner.pods.stream()
                .map(key -> server.pods().get(key).orElseThrow())
                .sorted(Comparator.<Pod>comparingInt(pod -> Pods.leaves(pod) ? 0 : 1)
                        .thenComparingInt(pod -> Pods.node(pod).isPresent() ? 1 : 0)
                        .thenComparingInt(
                                pod -> "Running".equals(pod.getStatus().getPhase()) ? 1 : 0)
                        .thenComparing(ObjectStore::key, Comparator.reverseOrder()))
                .limit(Math.max(0, -owner.lacking()))
                .map(ObjectStore::key)
                .toList()
                .forEach(this::dismiss);
    }

    int failedJobs() {
        return failedJobs;
    }

    /** Returns how many Jobs completed by their deadline. */
    int metDeadlines() {
        return metDeadlines;
    }

    /** Returns how many Jobs did not complete by their deadline, which has passed. */
    int missedDeadlines() {
        return missedDeadlines
                + (int) owners.values().stream()
                        .filter(owner ->
                                owner.deadline.filter(time.instant()::isAfter).isPresent())
                        .count();
    }

    /** Returns the Jobs that ended recently, followed by all owners that have not ended. */
    List<OwnerState> owned() {
        return Stream.concat(ended.values().stream(), owners.values().stream())
                .map(Owner::standing)
                .toList();
    }

    /** Whether a task that ends by itself is still running. */
    boolean isBusy() {
        return owners.values().stream().anyMatch(owner -> owner.task.ends() && !owner.over);
    }

    private void end(Owner owner) {
        over(owner);
        List.copyOf(owner.pods).forEach(this::dismiss);
    }

    /** Deletes a pod because its owner ended or was scaled down. Reports do not list the pod as lost. */
    private void dismiss(String pod) {
        server.pods().get(pod).map(found -> found.getMetadata().getUid()).ifPresent(record::dismissed);
        evictions.delete(pod);
    }

    /** Records that a pod saved its state, so that the pod that replaces it runs only for the remaining time. */
    void saved(Pod pod, Duration remaining) {
        var key = ObjectStore.key(pod);
        Optional.ofNullable(byPod.get(key)).ifPresent(owner -> owner.checkpoints.put(key, remaining));
    }

    private void makeUpSoon(Owner owner) {
        time.at(Math.max(time.nanos() + UNTIL_NOTICED.toNanos(), owner.mayMakeFrom), () -> makeUp(owner));
    }

    private void makeUp(Owner owner) {
        if (time.nanos() < owner.mayMakeFrom) {
            return; // another attempt is scheduled for that time
        }
        for (int lacking = owner.lacking(); lacking > 0; lacking--) {
            make(owner);
        }
        owner.lost.clear(); // the owner has as many pods as it needs
    }

    private void make(Owner owner) {
        var task = owner.task;
        var pod = task.template().get();
        var metadata = pod.withObject("/metadata");
        var name = task.kind().equals("Pod") ? task.name() : "%s-%05d".formatted(task.name(), named++);
        metadata.put("name", name).put("namespace", task.namespace());
        var checkpoint = Optional.ofNullable(owner.remaining.pollFirst());
        if (task.ends()) {
            checkpoint
                    .or(task::runsFor)
                    .ifPresent(time ->
                            metadata.withObject("/annotations").put(YamlWorkload.DURATION, Durations.format(time)));
        }
        if (!task.kind().equals("Pod")) {
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", task.kind().equals("Job") ? "batch/v1" : "apps/v1")
                    .put("kind", task.kind().equals("Deployment") ? "ReplicaSet" : task.kind())
                    .put("name", task.name())
                    .put("uid", owner.uid)
                    .put("controller", true);
        }
        var admitted = admission.admit(pod, task.namespace());
        if (admitted.isEmpty()) {
            over(owner); // the outcome reports the refusal; a real controller would keep trying
            return;
        }
        var created = server.pods().create(admitted.get());
        owner.pods.add(ObjectStore.key(created));
        byPod.put(ObjectStore.key(created), owner);
        checkpoint.ifPresent(left -> owner.checkpoints.put(ObjectStore.key(created), left));
        Optional.ofNullable(owner.lost.pollFirst())
                .ifPresent(lost ->
                        record.reclaims().replaced(lost, created.getMetadata().getUid()));
    }

    private void over(Owner owner) {
        owner.over = true;
        if (owners.remove(owner.uid) != null && owner.isJob()) {
            owner.deadline.ifPresent(deadline -> {
                boolean met = owner.succeeded >= owner.task.completions()
                        && !time.instant().isAfter(deadline);
                metDeadlines += met ? 1 : 0;
                missedDeadlines += met ? 0 : 1;
            });
            ended.put(owner.uid, owner);
            time.after(KEPT_FOR, () -> {
                ended.remove(owner.uid);
                owner.kept.forEach(this::clear);
            });
        }
    }

    private void clear(String uid, String pod) {
        server.pods()
                .get(pod)
                .filter(last -> last.getMetadata().getUid().equals(uid))
                .ifPresent(last -> server.pods().remove(pod));
    }

    private void lost(Pod pod) {
        var key = ObjectStore.key(pod);
        var owner = byPod.remove(key);
        if (owner != null) {
            owner.pods.remove(key);
            owner.lost.addLast(pod.getMetadata().getUid());
            Optional.ofNullable(owner.checkpoints.remove(key)).ifPresent(owner.remaining::addLast);
            if (owner.task.kind().equals("Pod")) {
                over(owner); // no controller replaces a bare pod
            } else {
                if (owner.isJob() && !owner.over) {
                    failed(owner, pod);
                }
                goOn(owner);
            }
        }
    }

    /**
     * Counts a failed pod of a Job. Lost pods count as failed, too: {@code isPodFailed} of {@code pkg/controller/job}. The back-off also
     * applies after a pod that is not counted.
     */
    private void failed(Owner owner, Pod pod) {
        if (!owner.ignoresEvictions || !Pods.isDisrupted(pod)) {
            owner.failed++;
        }
        var backOff = FIRST_BACK_OFF.multipliedBy(1L << Math.min(owner.failedInARow++, 10));
        backOff = backOff.compareTo(LONGEST_BACK_OFF) < 0 ? backOff : LONGEST_BACK_OFF;
        owner.mayMakeFrom = time.nanos() + backOff.toNanos();
    }

    private void goOn(Owner owner) {
        if (owner.over) {
            return;
        }
        if (owner.task.ends() && (!owner.isJob() || owner.succeeded >= owner.task.completions())) {
            over(owner);
        } else if (owner.isJob() && owner.failed > owner.task.backoffLimit()) {
            failedJobs++;
            end(owner);
        } else {
            makeUpSoon(owner);
        }
    }

    private void ended(Pod pod) {
        var key = ObjectStore.key(pod);
        var uid = pod.getMetadata().getUid();
        var owner = byPod.remove(key);
        if (owner == null) {
            time.after(KEPT_FOR, () -> clear(uid, key));
            return;
        }
        if (owner.isJob() && !owner.over) {
            owner.kept.put(uid, key); // the size of the Job's gang includes this pod
        } else {
            time.after(KEPT_FOR, () -> clear(uid, key));
        }
        owner.pods.remove(key);
        var checkpoint = Optional.ofNullable(owner.checkpoints.remove(key));
        if ("Succeeded".equals(pod.getStatus().getPhase())) {
            owner.succeeded++;
            owner.failedInARow = 0;
            owner.mayMakeFrom = 0;
        } else {
            checkpoint.ifPresent(owner.remaining::addLast);
            failed(owner, pod);
        }
        goOn(owner);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (Pods.ended(after) && !Pods.ended(before)) {
                ended(after);
            }
        }

        @Override
        public void removed(Pod last) {
            lost(last);
        }
    }
}
