package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * A memory of the progress of trainings with a deadline, across their pods. A pod that replaces an interrupted pod continues its progress.
 * The scaler writes the progress on the pod ({@link Names#PROGRESS}), so that another scaler can continue. If a scaler dies between the end
 * of a pod and the creation of its replacement, the progress is lost: the replacement then counts as new, which only leads to on-demand
 * machines earlier. Not thread-safe.
 */
public final class ProgressMemory {

    private static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

    private static final String SINCE = ", since ";

    /** How long the progress of an interrupted pod is kept for a replacement. */
    private static final Duration KEPT = Duration.ofDays(1);

    /** How many interrupted pods are kept; beyond that, the oldest are forgotten. */
    private static final int MOST = 10_000;

    /** The controllers that give each new pod another name without an index, so that no new pod continues a certain other pod. */
    private static final Set<String> NAMELESS = Set.of("ReplicaSet", "ReplicationController", "DaemonSet");

    private final LongSupplier nanoTime;

    /** The progress of pods that have not ended, by UID. */
    private final Map<String, Run> runs = new HashMap<>();

    /** The interrupted pods that no pod has replaced yet, by training, the smallest progress first. */
    private final Map<String, PriorityQueue<Interrupted>> interrupted = new HashMap<>();

    private record Stated(Pod pod, TrainingDeadline deadline, Tier tier) {}

    private record Saved(Instant start, Duration progress) {

        String text() {
            return Durations.format(progress.truncatedTo(ChronoUnit.SECONDS))
                    + SINCE
                    + start.truncatedTo(ChronoUnit.SECONDS);
        }
    }

    /** @param nanos when it was interrupted, by the monotonic clock */
    private record Interrupted(String training, Saved saved, long nanos) {

        static final Comparator<Interrupted> SMALLEST_FIRST = Comparator.comparing(
                        (Interrupted pod) -> pod.saved().progress())
                .thenComparing(pod -> pod.saved().start());
    }

    /**
     * @param training empty if no pod continues this one
     * @param before the progress before the present containers of the pod
     * @param since when the pod's containers started
     * @param ran how long the containers had run when they were first seen
     * @param seenNanos when they were first seen, by the monotonic clock
     * @param ifInterrupted the progress if the pod was interrupted when it was last seen
     */
    private record Run(
            Optional<String> training,
            Saved before,
            Optional<Instant> since,
            Duration ran,
            long seenNanos,
            Duration ifInterrupted) {

        Saved saved() {
            return new Saved(before.start(), ifInterrupted);
        }
    }

    /** @param nanoTime a monotonic clock: a jump of the wall clock does not count as progress of pods that were seen running before */
    public ProgressMemory(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns the snapshot with the deadlines that the pods state. */
    public Snapshot on(Snapshot snapshot, Collection<Pod> pods) {
        var now = snapshot.now();
        var stated = new ArrayList<Stated>();
        var invalid = new ArrayList<Unreadable>();
        for (var pod : pods) {
            try {
                var annotations = pod.getMetadata().getAnnotations();
                if (annotations != null) {
                    TrainingDeadline.of(annotations)
                            .ifPresent(deadline -> tier(snapshot.catalogue(), pod)
                                    .ifPresentOrElse(
                                            tier -> stated.add(new Stated(pod, deadline, tier)),
                                            () -> refuse(pod, invalid)));
                }
            } catch (IllegalArgumentException e) {
                if (!PodReading.ended(pod)) {
                    invalid.add(Unreadable.annotation(pod, String.valueOf(e.getMessage())));
                }
            }
        }
        end(stated);
        var policies = new HashMap<String, ProgressPolicy>();
        var records = new ArrayList<Deadlines.Progress>();
        var launch = new HashMap<String, Duration>();
        stated.stream()
                .filter(pod -> !isOver(pod.pod()))
                // Which of several replacements continues which progress must not depend on the order of objects.
                .sorted(Comparator.comparing((Stated pod) -> PodReading.created(pod.pod()))
                        .thenComparing(
                                pod -> String.valueOf(pod.pod().getMetadata().getName())))
                .forEach(one -> {
                    var pod = one.pod();
                    var deadline = one.deadline();
                    try {
                        var policy = follow(
                                pod,
                                deadline,
                                launch.computeIfAbsent(one.tier().name(), name -> launch(one.tier())),
                                now);
                        policies.put(uid(pod), policy);
                        record(pod, policy).ifPresent(records::add);
                    } catch (RuntimeException e) {
                        // One malformed pod must not end the round.
                        invalid.add(Unreadable.of("Pod", pod.getMetadata(), e));
                    }
                });
        invalid.sort(Comparator.comparing(Unreadable::namespace).thenComparing(Unreadable::name));
        return snapshot.withDeadlines(new Deadlines(policies, records, invalid));
    }

    /** Returns the tier of the pod; empty if deadlines have no effect there, or if there is no such tier. */
    private static Optional<Tier> tier(Catalogue catalogue, Pod pod) {
        return Optional.ofNullable(PodReader.tier(pod))
                .flatMap(name -> Optional.ofNullable(catalogue.tiers().get(name)))
                .filter(Tier::deadlines);
    }

    private static void refuse(Pod pod, List<Unreadable> invalid) {
        if (!PodReading.ended(pod)) {
            invalid.add(Unreadable.refused(pod, Optional.ofNullable(PodReader.tier(pod))));
        }
    }

    /** Keeps the progress of pods that were interrupted since the last round, and forgets trainings that are done. */
    private void end(List<Stated> stated) {
        long now = nanoTime.getAsLong();
        var present = new HashSet<String>();
        for (var one : stated) {
            var pod = one.pod();
            var uid = uid(pod);
            if (!isOver(pod)) {
                present.add(uid);
            } else if ("Succeeded"
                    .equals(pod.getStatus() == null ? null : pod.getStatus().getPhase())) {
                runs.remove(uid);
            }
        }
        for (var entry : List.copyOf(runs.entrySet())) {
            if (!present.contains(entry.getKey())) {
                var run = entry.getValue();
                runs.remove(entry.getKey());
                run.training()
                        .ifPresent(training -> interrupted
                                .computeIfAbsent(training, any -> new PriorityQueue<>(Interrupted.SMALLEST_FIRST))
                                .add(new Interrupted(training, run.saved(), now)));
            }
        }
        interrupted.values().forEach(pods -> pods.removeIf(pod -> now - pod.nanos() > KEPT.toNanos()));
        var oldestFirst = interrupted.values().stream()
                .flatMap(Collection::stream)
                .sorted(Comparator.comparingLong(Interrupted::nanos))
                .toList();
        var tooMany = Set.copyOf(oldestFirst.subList(0, Math.max(0, oldestFirst.size() - MOST)));
        interrupted.values().forEach(pods -> pods.removeIf(tooMany::contains));
        interrupted.values().removeIf(PriorityQueue::isEmpty);
    }

    private ProgressPolicy follow(Pod pod, TrainingDeadline deadline, Duration launch, Instant now) {
        var since = PodReading.runningSince(pod);
        var known = runs.get(uid(pod));
        // Containers that failed and start again in the same pod are an interruption, too.
        boolean failed =
                known != null && known.since().isPresent() && !known.since().equals(since);
        var before = known == null ? before(pod) : failed ? known.saved() : known.before();
        var same = known != null && known.since().equals(since) ? known : null;
        long seenNanos = same != null ? same.seenNanos() : nanoTime.getAsLong();
        var ran = same != null
                ? same.ran()
                : since.map(start -> Duration.between(start, now)).orElse(Duration.ZERO);
        var atMost = ran.plusNanos(nanoTime.getAsLong() - seenNanos);
        var counted =
                since.map(start -> Duration.between(start, now).compareTo(atMost) > 0 ? now.minus(atMost) : start);
        var policy = new ProgressPolicy(deadline, before.start(), before.progress(), counted, launch);
        runs.put(
                uid(pod), new Run(training(pod), before, since, ran, seenNanos, policy.progressAfterInterruption(now)));
        return policy;
    }

    /** Returns the progress before the pod: that of an interrupted pod, or that of the pod's annotation, or none. */
    private Saved before(Pod pod) {
        return training(pod)
                .flatMap(training -> Optional.ofNullable(interrupted.get(training)))
                .flatMap(pods -> Optional.ofNullable(pods.poll()))
                .map(Interrupted::saved)
                .orElseGet(() -> annotated(pod));
    }

    private static Saved annotated(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations().get(Names.PROGRESS))
                .flatMap(ProgressMemory::parse)
                .orElseGet(() -> new Saved(PodReading.created(pod), Duration.ZERO));
    }

    private static Optional<Saved> parse(String text) {
        int end = text.indexOf(SINCE);
        if (end < 0) {
            return Optional.empty();
        }
        try {
            var progress = Durations.parse(text.substring(0, end));
            return PodReading.time(text.substring(end + SINCE.length())).map(start -> new Saved(start, progress));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<Deadlines.Progress> record(Pod pod, ProgressPolicy policy) {
        boolean isFirst = policy.saved().isZero() && policy.start().equals(PodReading.created(pod));
        var text = new Saved(policy.start(), policy.saved()).text();
        return isFirst || text.equals(pod.getMetadata().getAnnotations().get(Names.PROGRESS))
                ? Optional.empty()
                : Optional.of(new Deadlines.Progress(PodReading.unread(pod, Interruption.ALLOWED), text));
    }

    /** Whether the pod has ended or is being deleted. What a pod does in its grace period does not count. */
    private static boolean isOver(Pod pod) {
        return PodReading.ended(pod) || pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** Returns a name of the training that is the same for a pod and the pods that replace it; empty if it cannot be known. */
    private static Optional<String> training(Pod pod) {
        var metadata = pod.getMetadata();
        return PodReading.controller(pod)
                .filter(owner -> !NAMELESS.contains(owner.getKind()))
                .map(owner -> {
                    var index = metadata.getAnnotations().get(COMPLETION_INDEX);
                    var member = index != null ? index : "Job".equals(owner.getKind()) ? "" : metadata.getName();
                    return owner.getUid() + " " + member;
                });
    }

    /** Returns the longest launch of a machine of the tier: what a spot pool may take to fail, and what the next pool may take. */
    private static Duration launch(Tier tier) {
        return tier.pools().stream()
                .map(Pool::provisionTimeout)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO)
                .plus(tier.fallbackAfter());
    }

    private static String uid(Pod pod) {
        return String.valueOf(pod.getMetadata().getUid());
    }
}
