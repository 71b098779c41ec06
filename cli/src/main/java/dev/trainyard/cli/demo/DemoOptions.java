package dev.trainyard.cli.demo;

import dev.trainyard.cli.yard.Cloud;
import dev.trainyard.cli.yard.Part;
import dev.trainyard.local.binaries.KubernetesVersion;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * How the demo is to be.
 *
 * @param scenarioNames in the order to play them
 * @param cloud whose pools they are
 * @param without parts that are left out
 * @param keep leave it running
 * @param terminal whether the output is read on a terminal
 * @param patience how long to wait for one thing to happen
 */
public record DemoOptions(
        KubernetesVersion version,
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
