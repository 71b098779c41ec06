package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.Round;
import dev.trainyard.bench.measure.Rounds;
import java.util.Arrays;
import java.util.List;

/**
 * The extender beside the floor, under the same load.
 *
 * @param names about how many nodes each filter call asks
 * @param connections 1: one call at a time, as a scheduler makes them
 * @param extender figures over calls of both verbs
 * @param podsPerSecond for how many the two calls are answered; no scheduler with so many connections can place more
 * @param cpu of the server for the two calls about a pod, in microseconds
 */
public record Comparison(
        int names,
        int connections,
        List<VerbComparison> verbs,
        Figures extender,
        Figures floor,
        double podsPerSecond,
        double floorPodsPerSecond,
        double podsRatio,
        double cpu,
        double floorCpu,
        double cpuRatio) {

    public Comparison {
        verbs = List.copyOf(verbs);
    }

    static Comparison of(int names, int connections, Rounds rounds) {
        int calls = Verb.values().length;
        var extender = rounds.figures();
        var floor = rounds.floorFigures();
        return new Comparison(
                names,
                connections,
                Arrays.stream(Verb.values())
                        .map(verb -> VerbComparison.of(verb, connections, rounds))
                        .toList(),
                extender,
                floor,
                extender.requestsPerSecond() / calls,
                floor.requestsPerSecond() / calls,
                rounds.ratio(round -> round.load().requestsPerSecond()),
                extender.cpu() * calls,
                floor.cpu() * calls,
                rounds.ratio(Round::cpuPerRequest));
    }
}
