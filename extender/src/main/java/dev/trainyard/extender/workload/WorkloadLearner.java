package dev.trainyard.extender.workload;

import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Learns what pods usually ask for from the pods that our scheduler is given: each counts once, when it is first seen, whether it is ever
 * placed or not, and newer ones count more. Nothing is known of pods to come. Told of one pod at a time.
 */
public final class WorkloadLearner implements PodWatcher {

    /** A pod counts half as much after so many others. */
    private static final double HALF_LIFE = 3_000;

    /** A new workload after a tenth more pods than so far, and at least so often: each makes all ratings be worked out anew. */
    private static final int REFRESH = 500;

    private static final double GROWTH = Math.pow(2, 1 / HALF_LIFE);
    private static final double TOO_LARGE = 1e200;
    private static final int MOST_CLASSES = 2_000;

    private final Consumer<Workload> learned;
    private final Map<PodClass, Double> weights = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private double weight = 1;
    private long pods;
    private long nextAt = 1;

    /** @param learned is told of what is known now */
    public WorkloadLearner(Consumer<Workload> learned) {
        this.learned = learned;
    }

    @Override
    public void seen(PodFacts pod) {
        if (pod.isOurs() && seen.add(identity(pod))) {
            learn(pod.podClass());
        }
    }

    @Override
    public void gone(PodFacts last) {
        seen.remove(identity(last));
    }

    /** Pods in files seldom have a UID. */
    private static String identity(PodFacts pod) {
        return pod.uid().isEmpty() ? pod.namespace() + "/" + pod.name() : pod.uid();
    }

    private void learn(PodClass pod) {
        weights.merge(pod, weight, Double::sum);
        weight *= GROWTH;
        if (weight > TOO_LARGE) {
            weights.replaceAll((any, sum) -> sum / weight);
            weight = 1;
        }
        pods++;
        if (pods >= nextAt) {
            nextAt = pods + Math.min(REFRESH, Math.max(1, pods / 10));
            learned.accept(workload());
        }
    }

    private Workload workload() {
        var ordered = weights.entrySet().stream()
                .sorted(Map.Entry.<PodClass, Double>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(entry -> entry.getKey().toString()))
                .toList();
        if (ordered.size() > MOST_CLASSES) { // whatever is asked for, what is remembered of it is bounded
            ordered.subList(MOST_CLASSES, ordered.size()).forEach(entry -> weights.remove(entry.getKey()));
        }
        var kept = ordered.subList(0, Math.min(MOST_CLASSES, ordered.size()));
        double sum = kept.stream().mapToDouble(Map.Entry::getValue).sum();
        return new Workload(kept.stream()
                .map(entry -> new Workload.Typical(entry.getKey(), entry.getValue() / sum))
                .toList());
    }
}
