package dev.trainyard.workshop.demo;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The trainings of a namespace, with methods that wait for each step of their life and check the result. */
final class Trainings {

    private final Stage stage;
    private final String namespace;
    private final int expected;
    private final double callsBefore;

    /** @param expected the expected number of pods */
    Trainings(Stage stage, String namespace, int expected) {
        this.stage = stage;
        this.namespace = namespace;
        this.expected = expected;
        this.callsBefore = stage.extenderCalls();
    }

    void expectCompletedByWebhook() {
        stage.expect("the webhook completes " + pods(), () -> {
            var completed = stage.pods(namespace).stream()
                    .filter(pod -> annotation(pod, Names.TIER).isPresent()
                            && annotation(pod, Names.INJECTED).isPresent())
                    .filter(pod -> Names.SCHEDULER.equals(pod.getSpec().getSchedulerName()))
                    .count();
            return missing(completed, "%d of %d pods have the annotation " + Names.INJECTED);
        });
    }

    void expectRefusedByScheduler() {
        stage.expect("the scheduler finds no node for " + pods() + " yet", () -> {
            var refused = stage.pods(namespace).stream()
                    .filter(stage.observer()::wasRefused)
                    .count();
            return missing(refused, "%d of %d pods were refused");
        });
    }

    /** Waits until exactly these numbers of pods run, or have run, on machines of these pools. */
    void expectRunningOn(Map<String, Integer> podsByPool) {
        stage.expect("the scaler gets machines and " + pods() + " run: " + podsByPool, () -> {
            var actual = new TreeMap<String, Integer>();
            for (var pod : stage.pods(namespace)) {
                if (List.of("Running", "Succeeded").contains(pod.getStatus().getPhase())) {
                    actual.merge(
                            stage.observer().poolOf(pod.getSpec().getNodeName()).orElse("none"), 1, Integer::sum);
                }
            }
            return actual.equals(new TreeMap<>(podsByPool))
                    ? Optional.empty()
                    : Optional.of("pods by pool: %s; pending pods by reason: %s".formatted(actual, waiting()));
        });
    }

    /** Returns the only pod that runs. */
    Pod running() {
        return stage.pods(namespace).stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .findFirst()
                .orElseThrow(() -> new ExpectationException("no pod runs in namespace " + namespace));
    }

    /**
     * Waits until the scaler has requested a machine for a pod that runs, and evicted the pod. Fails if the eviction came first.
     *
     * @param reason the reason of the Event about the request
     * @param pool the pool of the requested machine
     * @return what happened when, as a clause
     */
    String expectRequestBeforeEviction(Pod pod, String reason, String pool) {
        var node = pod.getSpec().getNodeName();
        var name = "pod/%s/%s".formatted(namespace, pod.getMetadata().getName());
        Supplier<Optional<Duration>> request = () -> stage.observer().firstReport(reason, name);
        Supplier<Optional<Duration>> eviction = () -> stage.observer().firstReport("Draining", "node/" + node);
        stage.expect(
                "the scaler requests a machine of %s and evicts the pod from %s".formatted(pool, node),
                () -> request.get().isPresent() && eviction.get().isPresent()
                        ? Optional.empty()
                        : Optional.of("requested: %s, evicted: %s"
                                .formatted(
                                        request.get().isPresent(),
                                        eviction.get().isPresent())));
        var requested = request.get().orElseThrow();
        var evicted = eviction.get().orElseThrow();
        var when = String.format(
                Locale.ROOT,
                "a machine of %s was requested at %.2f s, and the pod was evicted at %.2f s",
                pool,
                requested.toMillis() / 1000.0,
                evicted.toMillis() / 1000.0);
        stage.check("the machine is requested before the pod is evicted", requested.compareTo(evicted) <= 0, when);
        return when;
    }

    /** Waits at most 3 s until the pool's status counts the machines as ready, so that {@code kubectl get trainingpools} shows them. */
    void letStatusFollow(String pool, int machines) {
        stage.giveAMoment(() -> {
            var status = stage.pool(pool).getStatus();
            return status != null && Integer.valueOf(machines).equals(status.ready());
        });
    }

    void expectDone() {
        stage.expect("the training completes", () -> {
            var unfinished = stage.unfinishedJobs(namespace);
            return unfinished.isEmpty() ? Optional.empty() : Optional.of("unfinished: " + unfinished);
        });
    }

    /** Waits until the pools have no nodes, and a target of 0 in their status. */
    void expectMachinesGone(String... pools) {
        for (var pool : pools) {
            stage.expect("the scaler removes all machines of pool " + pool, () -> {
                var status = stage.pool(pool).getStatus();
                long nodes = stage.nodesOf(pool);
                boolean gone =
                        nodes == 0 && status != null && Integer.valueOf(0).equals(status.target());
                return gone
                        ? Optional.empty()
                        : Optional.of("%d nodes, target %s".formatted(nodes, status == null ? null : status.target()));
            });
        }
    }

    void checkExtenderWasAsked() {
        stage.expect("the scheduler asks the extender for suitable nodes", () -> {
            return stage.extenderCalls() > callsBefore ? Optional.empty() : Optional.of("the extender got no new call");
        });
    }

    void checkNoFailures() {
        int failures = stage.countedFailures(namespace);
        stage.check("the Job counts no failure", failures == 0, "it counts %d".formatted(failures));
    }

    /** Fails if a pool has got more machines than this since the start of the demo. */
    void checkMachines(Map<String, Integer> machinesByPool) {
        machinesByPool.forEach((pool, machines) -> {
            var excess = stage.observer().growth(pool).excess(machines);
            stage.check(
                    "pool %s gets no more machines than %d".formatted(pool, machines),
                    excess.isEmpty(),
                    excess.orElse(""));
        });
    }

    void checkNeverGrew(String pool) {
        var targets = stage.observer().targets(pool);
        stage.check(
                "pool " + pool + " never had a machine",
                targets.stream().allMatch(target -> target == 0),
                "its sizes were " + targets);
    }

    private String waiting() {
        var reasons = stage.pods(namespace).stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                .collect(Collectors.groupingBy(
                        pod -> pod.getStatus().getConditions().stream()
                                .filter(condition -> "PodScheduled".equals(condition.getType()))
                                .map(condition -> condition.getMessage() == null ? "placed" : condition.getMessage())
                                .findFirst()
                                .orElse("no scheduler has tried to place the pod"),
                        TreeMap::new,
                        Collectors.counting()));
        return reasons.isEmpty() ? "none" : reasons.toString();
    }

    private Optional<String> missing(long actual, String how) {
        return actual >= expected ? Optional.empty() : Optional.of(how.formatted(actual, expected));
    }

    private String pods() {
        return expected == 1 ? "the pod" : "all %d pods".formatted(expected);
    }

    private static Optional<String> annotation(Pod pod, String name) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations()).map(annotations -> annotations.get(name));
    }
}
