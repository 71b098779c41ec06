package dev.trainyard.bench.scoring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The weights in the configuration of Trainyard's kube-scheduler: of the extender's score, and of resources in the scheduler's own score.
 *
 * @param extenderWeight {@code extenders[0].weight}
 * @param fit weights of {@code NodeResourcesFit}, the only plugin of the profile whose scores differ between machines of a trace
 */
record SchedulerProfile(int extenderWeight, InTree.Weights fit) {

    /** The factor by which kube-scheduler multiplies an extender's score besides the weight: {@code MaxNodeScore / MaxExtenderPriority}. */
    private static final int STRETCH = 10;

    /**
     * @param configuration a {@code KubeSchedulerConfiguration}, in YAML
     * @throws BenchException if this class does not support the configuration's scores
     */
    static SchedulerProfile parse(String configuration) {
        try {
            return of(new YAMLMapper().readTree(configuration));
        } catch (JsonProcessingException e) {
            throw new BenchException("the scheduler's configuration is not YAML: " + e.getOriginalMessage(), e);
        }
    }

    long total(int extenderScore, int inTreeScore) {
        return (long) extenderScore * extenderWeight * STRETCH + inTreeScore;
    }

    private static SchedulerProfile of(JsonNode configuration) {
        var profile = configuration.at("/profiles/0");
        expect("profiles[0].schedulerName", profile.path("schedulerName"), Names.SCHEDULER);
        expect(
                "profiles[0].plugins.score.disabled[0].name",
                profile.at("/plugins/score/disabled/0/name"),
                "NodeResourcesBalancedAllocation");
        expect("profiles[0].pluginConfig[0].name", profile.at("/pluginConfig/0/name"), "NodeResourcesFit");
        var strategy = profile.at("/pluginConfig/0/args/scoringStrategy");
        expect("NodeResourcesFit's scoringStrategy.type", strategy.path("type"), "MostAllocated");
        var weights = new HashMap<String, Integer>();
        for (var resource : strategy.path("resources")) {
            weights.put(resource.path("name").asText(), resource.path("weight").asInt(1));
        }
        int extender = configuration.at("/extenders/0/weight").asInt(0);
        if (extender < 1
                || !Set.of(ResourceNames.GPU, ResourceNames.CPU, ResourceNames.MEMORY)
                        .containsAll(weights.keySet())) {
            throw new BenchException(
                    "the scheduler's configuration has extenders[0].weight %d and the resources %s; expected a weight above 0 and %s, %s and %s"
                            .formatted(extender, weights, ResourceNames.GPU, ResourceNames.CPU, ResourceNames.MEMORY));
        }
        return new SchedulerProfile(extender, weights(weights));
    }

    private static InTree.Weights weights(Map<String, Integer> weights) {
        return new InTree.Weights(
                weights.getOrDefault(ResourceNames.GPU, 0),
                weights.getOrDefault(ResourceNames.CPU, 0),
                weights.getOrDefault(ResourceNames.MEMORY, 0));
    }

    private static void expect(String field, JsonNode value, String expected) {
        if (!value.asText().equals(expected)) {
            throw new BenchException("the scheduler's configuration has %s '%s'; this benchmark assumes '%s'"
                    .formatted(field, value.asText(), expected));
        }
    }
}
