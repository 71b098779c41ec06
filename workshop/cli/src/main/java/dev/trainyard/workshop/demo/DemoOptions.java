package dev.trainyard.workshop.demo;

import dev.trainyard.local.binaries.KubernetesVersion;
import dev.trainyard.workshop.cluster.Cloud;
import dev.trainyard.workshop.cluster.Part;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the demo is to be.
 *
 * @param version of the control plane, if there is one
 * @param scenarioNames in the order to play them
 * @param cloud whose pools they are
 * @param without parts that are left out
 * @param keep leave it running
 * @param terminal whether the output is read on a terminal
 * @param patience how long to wait for one thing to happen
 */
public record DemoOptions(
        KubernetesVersion version,
        Reality reality,
        List<String> scenarioNames,
        Cloud cloud,
        Set<Part> without,
        boolean keep,
        boolean terminal,
        Duration patience) {

    public DemoOptions {
        scenarioNames = List.copyOf(scenarioNames);
        without = Set.copyOf(without);
        for (var name : scenarioNames) {
            if (!Demo.scenarioNames().contains(name)) {
                throw new IllegalArgumentException("there is no scenario '%s'; there are: %s"
                        .formatted(name, String.join(", ", Demo.scenarioNames())));
            }
        }
        if (reality == Reality.SIMULATED) {
            notSimulated(cloud, keep, scenarioNames).ifPresent(what -> {
                throw new IllegalArgumentException("--kubernetes simulated: %s needs a control plane".formatted(what));
            });
        }
    }

    private static Optional<String> notSimulated(Cloud cloud, boolean keep, List<String> scenarioNames) {
        if (cloud != Cloud.KWOK) {
            return Optional.of("--cloud " + cloud.word());
        }
        if (keep) {
            return Optional.of("--keep");
        }
        return scenarioNames.isEmpty() ? Optional.of("--scenario none") : Optional.empty();
    }

    /** Whether it may be simulated when no control plane can be had. */
    public boolean mayBeSimulated() {
        return reality != Reality.REAL
                && notSimulated(cloud, keep, scenarioNames).isEmpty();
    }

    List<Scenario> scenarios() {
        return scenarioNames.stream()
                .map(name -> Scenarios.ALL.stream()
                        .filter(scenario -> scenario.name().equals(name))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }
}
