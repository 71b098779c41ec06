package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceShape;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A placer that uses a {@link NodeScore} in this process. The placer caches scores of unchanged machines by pod shape. */
final class LocalPlacer implements Placer {

    private record Known(int[] scores, int[] versions) {
        static Known nothing(int machines) {
            var versions = new int[machines];
            Arrays.fill(versions, -1);
            return new Known(new int[machines], versions);
        }
    }

    private final NodeScore score;
    private final TraceMachine[] machines;
    private final Winner winner;
    private final Map<TraceShape, Known> known = new HashMap<>();

    LocalPlacer(NodeScore score, TraceMachine[] machines, Winner winner) {
        this.score = score;
        this.machines = machines.clone();
        this.winner = winner;
    }

    @Override
    public int choose(int pod, TraceShape shape, int[] candidates, int count) {
        var remembered = known.computeIfAbsent(shape, any -> Known.nothing(machines.length));
        winner.start();
        for (int i = 0; i < count; i++) {
            winner.offer(candidates[i], score(remembered, candidates[i], shape));
        }
        return winner.machine();
    }

    @Override
    public int[] devices(int machine, TraceShape shape) {
        return score.devices(machines[machine], shape);
    }

    private int score(Known remembered, int place, TraceShape shape) {
        var machine = machines[place];
        if (remembered.versions()[place] != machine.version()) {
            remembered.scores()[place] = score.of(machine, shape);
            remembered.versions()[place] = machine.version();
        }
        return remembered.scores()[place];
    }
}
