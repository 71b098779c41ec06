package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.Shelf;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.YamlWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The controllers that make pods of Jobs, Deployments and the like, and make them anew when they are lost. What has ended is removed after a
 * while, as by {@code ttlSecondsAfterFinished}, so that memory does not grow with the time that passes.
 */
final class Owners {

    private static final Duration UNTIL_NOTICED = Duration.ofMillis(20);
    private static final Duration KEPT_FOR = Duration.ofMinutes(5);
    /** {@code backoffLimit} of a Job. */
    private static final int MOST_FAILURES = 6;

    private final VirtualTime time;
    private final ApiServer server;
    private final Admission admission;
    private final Evictions evictions;
    private final Map<String, Owner> owners = new HashMap<>();
    private final Map<String, Owner> byPod = new HashMap<>();
    private long named;

    private static final class Owner {
        private final Task task;
        private final String uid;
        private final TreeSet<String> pods = new TreeSet<>();
        private int succeeded;
        private int failed;
        private boolean over;

        private Owner(Task task, String uid) {
            this.task = task;
            this.uid = uid;
        }

        private int lacking() {
            if (over) {
                return 0;
            }
            int wanted = task.ends() ? Math.min(task.pods(), task.completions() - succeeded) : task.pods();
            return wanted - pods.size();
        }
    }

    Owners(VirtualTime time, ApiServer server, Admission admission, Evictions evictions, Lag lag) {
        this.time = time;
        this.server = server;
        this.admission = admission;
        this.evictions = evictions;
        server.pods().inform(lag).tell(new PodsSeen());
    }

    /** A user creates something. */
    void create(Task task) {
        var owner = new Owner(task, "00000000-0000-4000-9000-%012d".formatted(named++));
        owners.put(owner.uid, owner);
        makeUp(owner);
        if (!task.ends()) {
            task.runsFor().ifPresent(duration -> time.after(duration, () -> end(owner)));
        }
    }

    /** Whether something is not over yet that is to end. */
    boolean isBusy() {
        return owners.values().stream().anyMatch(owner -> owner.task.ends() && !owner.over);
    }

    private void end(Owner owner) {
        over(owner);
        List.copyOf(owner.pods).forEach(evictions::delete);
    }

    private void makeUp(Owner owner) {
        for (int lacking = owner.lacking(); lacking > 0; lacking--) {
            make(owner);
        }
    }

    private void make(Owner owner) {
        var task = owner.task;
        var pod = task.template().deepCopy();
        var metadata = pod.withObject("/metadata");
        var name = task.kind().equals("Pod") ? task.name() : "%s-%05d".formatted(task.name(), named++);
        metadata.put("name", name).put("namespace", task.namespace());
        if (task.ends()) {
            task.runsFor()
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
            over(owner); // users see the refusal; a controller would go on trying
            return;
        }
        var created = server.pods().create(admitted.get());
        owner.pods.add(Shelf.key(created));
        byPod.put(Shelf.key(created), owner);
    }

    private void over(Owner owner) {
        owner.over = true;
        owners.remove(owner.uid);
    }

    private void lost(Pod pod) {
        var key = Shelf.key(pod);
        var owner = byPod.remove(key);
        if (owner != null) {
            owner.pods.remove(key);
            if (owner.task.kind().equals("Pod")) {
                over(owner); // nobody makes it anew
            } else {
                time.after(UNTIL_NOTICED, () -> makeUp(owner));
            }
        }
    }

    private void ended(Pod pod) {
        var key = Shelf.key(pod);
        var uid = pod.getMetadata().getUid();
        time.after(
                KEPT_FOR,
                () -> server.pods()
                        .get(key)
                        .filter(last -> last.getMetadata().getUid().equals(uid))
                        .ifPresent(last -> server.pods().remove(key)));
        var owner = byPod.remove(key);
        if (owner == null) {
            return;
        }
        owner.pods.remove(key);
        boolean well = "Succeeded".equals(pod.getStatus().getPhase());
        owner.succeeded += well ? 1 : 0;
        owner.failed += well ? 0 : 1;
        if (owner.task.ends() && (owner.succeeded >= owner.task.completions() || owner.failed > MOST_FAILURES)) {
            over(owner);
        } else {
            time.after(UNTIL_NOTICED, () -> makeUp(owner));
        }
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
