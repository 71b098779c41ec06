package dev.trainyard.bench.scoring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.scoring.trace.TraceShape;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A placer that works like kube-scheduler with Trainyard's configuration. It calls an extender over the real
 * protocol, and adds the scores of the scheduler's own plugins. The extender sees pods and bindings only in its index, which the placer
 * updates as informers do.
 */
final class ExtenderPlacer implements Placer {

    private static final String CHOOSE = "/choose";
    private static final String PRIORITIZE = "/prioritize";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final InProcessExtender extender;
    private final TraceMachine[] machines;
    private final Winner winner;
    private final SchedulerProfile profile;
    private final NodeScore inTree;
    private final SchedulerWire wire;

    private final int[] passed;
    private final int[] scores;
    private @Nullable Pod current;

    /** @param extender a new extender with an empty index; it is closed with this placer */
    ExtenderPlacer(InProcessExtender extender, TraceMachine[] machines, Winner winner, SchedulerProfile profile) {
        this.extender = extender;
        this.machines = machines.clone();
        this.winner = winner;
        this.profile = profile;
        this.inTree = InTree.mostAllocated(profile.fit());
        this.wire = new SchedulerWire(
                Arrays.stream(machines).map(machine -> machine.node().name()).toList());
        this.passed = new int[machines.length];
        this.scores = new int[machines.length];
        for (var machine : machines) {
            extender.index().put(ScoringObjects.node(machine.node()));
        }
    }

    @Override
    public void arrived(int pod, TraceShape shape) {
        current = ScoringObjects.waiting(pod, shape);
        extender.index().put(current);
    }

    @Override
    public int choose(int pod, TraceShape shape, int[] candidates, int count) {
        var podJson = json(current());
        System.arraycopy(candidates, 0, passed, 0, count);
        int left = wire.passed(extender.ask(CHOOSE, wire.question(podJson, passed, count)), passed, count);
        if (left <= 1) {
            return left == 0 ? -1 : passed[0]; // kube-scheduler does not call prioritize for fewer than two nodes
        }
        wire.scores(extender.ask(PRIORITIZE, wire.question(podJson, passed, left)), scores);
        winner.start();
        for (int i = 0; i < left; i++) {
            int machine = passed[i];
            winner.offer(machine, profile.total(scores[machine], inTree.of(machines[machine], shape)));
        }
        return winner.machine();
    }

    @Override
    public int[] devices(int machine, TraceShape shape) {
        return machines[machine].bestFittingDevices(shape);
    }

    @Override
    public void bound(int pod, TraceShape shape, int machine, int[] devices) {
        var name = machines[machine].node().name();
        extender.index().put(ScoringObjects.bound(current(), pod, name, devices));
    }

    @Override
    public void close() {
        extender.close();
    }

    private Pod current() {
        return Objects.requireNonNull(current, "no pod has arrived; arrived() must be called first");
    }

    private static String json(Pod pod) {
        try {
            return JSON.writeValueAsString(pod);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a pod cannot be written as JSON", e);
        }
    }
}
