package dev.trainyard.e2e;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of a cluster, in a form that excludes generated names, identities and times.
 *
 * @param jobs states of Jobs by name
 * @param pods numbers of pods by workload (the name of their container) and state, without pods that are being deleted
 * @param pools states of pools by name
 */
record ClusterState(Map<String, JobSummary> jobs, Map<String, Map<String, Long>> pods, Map<String, PoolSummary> pools) {

    /** Parts of a message to leave out: the extender's refusals of machines of other tests, and the link to the documentation. */
    private static final Pattern BESIDES = Pattern.compile(" \\(the extender refused: .*|; see docs/.*");

    private static final String UNEXPLAINED = "not explained";

    /** @param ended {@code Complete}, {@code Failed} or {@code running} */
    record JobSummary(int succeeded, int failed, String ended) {}

    /**
     * @param nodes current number of nodes
     * @param target requested size in the pool's status
     * @param bought number of machines ever launched
     * @param backOff reason of the current back-off; {@code none} without a back-off
     */
    record PoolSummary(long nodes, int target, long bought, String backOff) {
        static PoolSummary of(TrainingPool pool, long nodes, long bought) {
            var status = pool.getStatus();
            return new PoolSummary(
                    nodes,
                    status == null || status.target() == null ? -1 : status.target(),
                    bought,
                    status == null || status.backOff() == null
                            ? "none"
                            : status.backOff().kind());
        }

        boolean isEmpty() {
            return nodes == 0 && target == 0;
        }
    }

    /**
     * Counts pods by workload and state.
     *
     * @param pools pools whose machines the pods may use; machine names start with the pool's name
     * @param whyWaiting the scaler's last message about a pod
     */
    static Map<String, Map<String, Long>> tell(
            Collection<Pod> pods, Collection<String> pools, Function<Pod, Optional<String>> whyWaiting) {
        return pods.stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .collect(Collectors.groupingBy(
                        pod -> pod.getSpec().getContainers().get(0).getName(),
                        TreeMap::new,
                        Collectors.groupingBy(
                                pod -> tell(pod, pools, whyWaiting), TreeMap::new, Collectors.counting())));
    }

    private static String tell(Pod pod, Collection<String> pools, Function<Pod, Optional<String>> whyWaiting) {
        var node = pod.getSpec().getNodeName();
        var phase = pod.getStatus().getPhase();
        if (node != null) {
            return phase
                    + pools.stream()
                            .filter(pool -> node.startsWith(pool + "-"))
                            .max(Comparator.comparingInt(String::length))
                            .map(pool -> " on " + pool)
                            .orElse(" on a machine of no pool");
        }
        var scheduler = pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("PodScheduled"))
                .map(condition -> String.valueOf(condition.getReason()))
                .findFirst()
                .orElse("not looked at");
        var why = whyWaiting
                .apply(pod)
                .orElse(UNEXPLAINED)
                .replace(pod.getMetadata().getNamespace() + "/", "");
        return "%s, %s: %s".formatted(phase, scheduler, BESIDES.matcher(why).replaceFirst(""));
    }

    /** Whether the Job is complete. */
    boolean isComplete(String job) {
        return jobs.containsKey(job) && jobs.get(job).ended().equals("Complete");
    }

    /** Whether all pods of that workload are pending with an explanation. */
    boolean areExplained(String workload) {
        var all = pods.getOrDefault(workload, Map.of()).keySet();
        return !all.isEmpty()
                && all.stream().allMatch(how -> how.startsWith("Pending, Unschedulable") && !how.endsWith(UNEXPLAINED));
    }

    /** Returns the number of the workload's pods whose state starts with {@code how}. */
    long pods(String workload, String how) {
        return pods.getOrDefault(workload, Map.of()).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(how))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Whether these pools, or all pools if none is given, have no machine and no request for one. */
    boolean isEmpty(String... names) {
        var of = names.length == 0 ? pools.keySet() : List.of(names);
        return of.stream().allMatch(name -> pools.get(name).isEmpty());
    }

    /** Whether the pool has {@code machines} nodes, and the target {@code machines}. */
    boolean has(String pool, int machines) {
        return pools.get(pool).nodes() == machines && pools.get(pool).target() == machines;
    }

    /** Returns the state with one fact in each line. */
    @Override
    public String toString() {
        return Stream.of(
                        jobs.entrySet().stream()
                                .map(job -> "job %s: %d succeeded, %d failed, %s"
                                        .formatted(
                                                job.getKey(),
                                                job.getValue().succeeded(),
                                                job.getValue().failed(),
                                                job.getValue().ended())),
                        pods.entrySet().stream()
                                .flatMap(workload -> workload.getValue().entrySet().stream()
                                        .map(pod -> "%d pods of %s: %s"
                                                .formatted(pod.getValue(), workload.getKey(), pod.getKey()))),
                        pools.entrySet().stream()
                                .map(pool -> "pool %s: %d nodes, target %d, bought %d, back-off %s"
                                        .formatted(
                                                pool.getKey(),
                                                pool.getValue().nodes(),
                                                pool.getValue().target(),
                                                pool.getValue().bought(),
                                                pool.getValue().backOff())))
                .flatMap(lines -> lines)
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }
}
