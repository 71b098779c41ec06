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
 * A learner of the typical demand of our scheduler's pods. Each pod adds to the weight of its class once, when the index first reports the
 * pod, whether or not the pod is ever placed. Newer pods add more weight. Not thread-safe: the index reports one pod at a time.
 */
public final class WorkloadLearner implements PodWatcher {

    /** A pod adds twice the weight of the pod that came this number of pods earlier. */
    private static final double HALF_LIFE = 3_000;

    /**
     * The largest number of new pods until the next workload is published. While few pods are known, a tenth of their number is enough.
     * Workloads are not published more often, because each one invalidates all ratings.
     */
    private static final int REFRESH = 500;

    private static final double GROWTH = Math.pow(2, 1 / HALF_LIFE);
    private static final double TOO_LARGE = 1e200;
    private static final int MOST_CLASSES = 2_000;

    private final Consumer<TypicalWorkload> learned;
    private final Map<PodClass, Double> weights = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private double weight = 1;
    private long pods;
    private long nextAt = 1;

    /** @param learned receives each new workload */
    public WorkloadLearner(Consumer<TypicalWorkload> learned) {
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

    /** Returns the identity of a pod. Pods in files seldom have a UID. */
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

    private TypicalWorkload workload() {
        var ordered = weights.entrySet().stream()
                .sorted(Map.Entry.<PodClass, Double>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(entry -> entry.getKey().toString()))
                .toList();
        if (ordered.size() > MOST_CLASSES) { // bounds the memory, whatever pods ask for
            ordered.subList(MOST_CLASSES, ordered.size()).forEach(entry -> weights.remove(entry.getKey()));
        }
        var kept = ordered.subList(0, Math.min(MOST_CLASSES, ordered.size()));
        double sum = kept.stream().mapToDouble(Map.Entry::getValue).sum();
        return new TypicalWorkload(kept.stream()
                .map(entry -> new TypicalWorkload.Typical(entry.getKey(), entry.getValue() / sum))
                .toList());
    }
}
