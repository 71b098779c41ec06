package dev.trainyard.workshop.demo;

import dev.trainyard.local.binaries.KubernetesVersion;
import dev.trainyard.workshop.cluster.ChosenCloud;
import dev.trainyard.workshop.cluster.InstalledComponent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The options of the demo.
 *
 * @param version the version of the control plane; ignored in a simulation
 * @param scenarioNames the scenarios, in the order to run them
 * @param cloud the cloud of the pools
 * @param without the components that are left out
 * @param keep whether the control plane stays running after the scenarios
 * @param terminal whether the output is a terminal
 * @param timeout how long to wait for each expected event
 */
public record DemoOptions(
        KubernetesVersion version,
        Reality reality,
        List<String> scenarioNames,
        ChosenCloud cloud,
        Set<InstalledComponent> without,
        boolean keep,
        boolean terminal,
        Duration timeout) {

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

    private static Optional<String> notSimulated(ChosenCloud cloud, boolean keep, List<String> scenarioNames) {
        if (cloud != ChosenCloud.KWOK) {
            return Optional.of("--cloud " + cloud.word());
        }
        if (keep) {
            return Optional.of("--keep");
        }
        return scenarioNames.isEmpty() ? Optional.of("--scenario none") : Optional.empty();
    }

    /** Whether the demo may be simulated if no control plane is available. */
    public boolean mayBeSimulated() {
        return reality != Reality.REAL
                && notSimulated(cloud, keep, scenarioNames).isEmpty();
    }

    List<DemoScenario> scenarios() {
        return scenarioNames.stream()
                .map(name -> Scenarios.ALL.stream()
                        .filter(scenario -> scenario.name().equals(name))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }
}
