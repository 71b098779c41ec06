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
import java.util.Objects;
import java.util.Optional;

/**
 * A memory of the progress of trainings with a deadline, across their pods. A pod that replaces an interrupted pod continues its progress.
 * The scaler writes the progress on the pod ({@link Names#PROGRESS}), so that another scaler can continue. If a scaler dies between the end
 * of a pod and the creation of its replacement, the progress is lost: the replacement then counts as new, which only leads to on-demand
 * machines earlier. Not thread-safe.
 */
public final class ProgressMemory {

    private static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

    private static final String SINCE = ", since ";

    /** The progress of pods that have not ended, by UID. */
    private final Map<String, Run> runs = new HashMap<>();

    /** The progress of interrupted pods that no pod has replaced yet, by training, the smallest first. */
    private final Map<String, List<Saved>> interrupted = new HashMap<>();

    private record Stated(Pod pod, TrainingDeadline deadline) {}

    private record Saved(Instant start, Duration progress, Instant deadline) {

        String text() {
            return Durations.format(progress.truncatedTo(ChronoUnit.SECONDS))
                    + SINCE
                    + start.truncatedTo(ChronoUnit.SECONDS);
        }
    }

    /**
     * @param before the progress before the present containers of the pod
     * @param since when the pod's containers started
     * @param ifInterrupted the progress if the pod was interrupted when it was last seen
     */
    private record Run(String training, Saved before, Optional<Instant> since, Duration ifInterrupted) {

        Saved saved() {
            return new Saved(before.start(), ifInterrupted, before.deadline());
        }
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
                    TrainingDeadline.of(annotations).ifPresent(deadline -> stated.add(new Stated(pod, deadline)));
                }
            } catch (IllegalArgumentException e) {
                if (!PodReading.ended(pod)) {
                    invalid.add(Unreadable.annotation(pod, String.valueOf(e.getMessage())));
                }
            }
        }
        end(stated, now);
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
                                launch.computeIfAbsent(
                                        Objects.requireNonNullElse(PodReader.tier(pod), ""),
                                        tier -> launch(snapshot.catalogue(), tier)),
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

    /** Keeps the progress of pods that were interrupted since the last round, and forgets trainings that are done. */
    private void end(List<Stated> stated, Instant now) {
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
                var all = interrupted.computeIfAbsent(run.training(), training -> new ArrayList<>());
                all.add(run.saved());
                all.sort(Comparator.comparing(Saved::progress).thenComparing(Saved::start));
            }
        }
        interrupted.values().forEach(all -> all.removeIf(saved -> now.isAfter(saved.deadline())));
        interrupted.values().removeIf(List::isEmpty);
    }

    private ProgressPolicy follow(Pod pod, TrainingDeadline deadline, Duration launch, Instant now) {
        var since = PodReading.runningSince(pod);
        var known = runs.get(uid(pod));
        // Containers that failed and start again in the same pod are an interruption, too.
        boolean failed =
                known != null && known.since().isPresent() && !known.since().equals(since);
        var before = known == null ? before(pod, deadline) : failed ? known.saved() : known.before();
        var policy = new ProgressPolicy(deadline, before.start(), before.progress(), since, launch);
        runs.put(uid(pod), new Run(training(pod), before, since, policy.progressAfterInterruption(now)));
        return policy;
    }

    /** Returns the progress before the pod: that of an interrupted pod, or that of the pod's annotation, or none. */
    private Saved before(Pod pod, TrainingDeadline deadline) {
        var waiting = interrupted.get(training(pod));
        if (waiting != null && !waiting.isEmpty()) {
            return waiting.remove(0);
        }
        return Optional.ofNullable(pod.getMetadata().getAnnotations().get(Names.PROGRESS))
                .flatMap(text -> parse(text, deadline))
                .orElseGet(() -> new Saved(PodReading.created(pod), Duration.ZERO, deadline.at()));
    }

    private static Optional<Saved> parse(String text, TrainingDeadline deadline) {
        int end = text.indexOf(SINCE);
        if (end < 0) {
            return Optional.empty();
        }
        try {
            var progress = Durations.parse(text.substring(0, end));
            return PodReading.time(text.substring(end + SINCE.length()))
                    .map(start -> new Saved(start, progress, deadline.at()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<Deadlines.Progress> record(Pod pod, ProgressPolicy policy) {
        boolean isFirst = policy.saved().isZero() && policy.start().equals(PodReading.created(pod));
        var text = new Saved(policy.start(), policy.saved(), policy.stated().at()).text();
        return isFirst || text.equals(pod.getMetadata().getAnnotations().get(Names.PROGRESS))
                ? Optional.empty()
                : Optional.of(new Deadlines.Progress(PodReading.unread(pod, Interruption.ALLOWED), text));
    }

    /** Whether the pod has ended or is being deleted. What a pod does in its grace period does not count. */
    private static boolean isOver(Pod pod) {
        return PodReading.ended(pod) || pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** Returns a name of the training that is the same for a pod and the pods that replace it. */
    private static String training(Pod pod) {
        var metadata = pod.getMetadata();
        return PodReading.controller(pod)
                .map(owner -> {
                    var index = metadata.getAnnotations().get(COMPLETION_INDEX);
                    var member = index != null ? index : "Job".equals(owner.getKind()) ? "" : metadata.getName();
                    return owner.getUid() + " " + member;
                })
                .orElseGet(() -> uid(pod));
    }

    /** Returns the longest launch of a machine of the tier: what a spot pool may take to fail, and what the next pool may take. */
    private static Duration launch(Catalogue catalogue, String name) {
        var tier = Optional.ofNullable(catalogue.tiers().get(name));
        return tier
                .map(Tier::pools)
                .orElseGet(() -> List.copyOf(catalogue.pools().values()))
                .stream()
                .map(Pool::provisionTimeout)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO)
                .plus(tier.map(Tier::fallbackAfter).orElse(Duration.ZERO));
    }

    private static String uid(Pod pod) {
        return String.valueOf(pod.getMetadata().getUid());
    }
}
