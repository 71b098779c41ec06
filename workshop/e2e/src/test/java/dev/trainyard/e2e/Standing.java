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
 * How things stand, in words that do not depend on names, identities and times that clusters make up.
 *
 * @param jobs how Jobs stand, by name
 * @param pods that are not being deleted, by what made them (the name of their container) and how they stand
 * @param pools what there is and was of machines, by name
 */
record Standing(Map<String, JobStanding> jobs, Map<String, Map<String, Long>> pods, Map<String, PoolStanding> pools) {

    /** What the extender said of other stories' machines, which a pod of this one may not have; and where to read more. */
    private static final Pattern BESIDES = Pattern.compile(" \\(the extender refused: .*|; see docs/.*");

    private static final String UNEXPLAINED = "not explained";

    /** @param ended {@code Complete}, {@code Failed} or {@code running} */
    record JobStanding(int succeeded, int failed, String ended) {}

    /**
     * @param nodes that there are
     * @param target machines that the cloud is asked for, as the pool's status has it
     * @param bought machines that were ever made
     * @param backOff why the cloud is not asked at the moment; {@code none} when it may be
     */
    record PoolStanding(long nodes, int target, long bought, String backOff) {
        static PoolStanding of(TrainingPool pool, long nodes, long bought) {
            var status = pool.getStatus();
            return new PoolStanding(
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
     * @param pools whose machines pods may be on; machines are named for them
     * @param whyWaiting what the scaler told of a pod last
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

    /** Whether a Job ran to its end. */
    boolean isComplete(String job) {
        return jobs.containsKey(job) && jobs.get(job).ended().equals("Complete");
    }

    /** Whether all pods of that workload wait, and it is told why. */
    boolean areExplained(String workload) {
        var all = pods.getOrDefault(workload, Map.of()).keySet();
        return !all.isEmpty()
                && all.stream().allMatch(how -> how.startsWith("Pending, Unschedulable") && !how.endsWith(UNEXPLAINED));
    }

    /** How many of the pods of that workload stand so, or so to begin with. */
    long pods(String workload, String how) {
        return pods.getOrDefault(workload, Map.of()).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(how))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Whether these pools, or all, have no machine and are asked for none. */
    boolean isEmpty(String... names) {
        var of = names.length == 0 ? pools.keySet() : List.of(names);
        return of.stream().allMatch(name -> pools.get(name).isEmpty());
    }

    /** Whether so many machines are there and asked for. */
    boolean has(String pool, int machines) {
        return pools.get(pool).nodes() == machines && pools.get(pool).target() == machines;
    }

    /** One fact in each line. */
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
