package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.pod.GpuNames;
import dev.trainyard.webhook.pod.PodRequest;
import io.fabric8.zjsonpatch.JsonPatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pods and configuration for tests. */
public final class Samples {

    public static final PodDecider DECIDER = new PodDecider("trainyard-system", GpuNames.DEFAULT);

    public static final Path EXAMPLES = Path.of(System.getProperty("trainyard.root"), "manifests", "examples");
    public static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "webhook", "src", "test", "resources", "golden");

    static final YAMLMapper YAML = new YAMLMapper();

    private Samples() {}

    /** Returns the example pools and tiers, and those of {@code golden/catalogue.yaml}. */
    public static Catalogue catalogue() {
        var documents = new ArrayList<>(ResourceFiles.read(EXAMPLES).documents());
        documents.addAll(ResourceFiles.read(GOLDEN.resolve("catalogue.yaml")).documents());
        return FileConfiguration.of(new ResourceFiles(documents)).current();
    }

    /** Returns the pools of {@link #catalogue}, and only this tier. */
    public static Catalogue catalogue(String name, String tier) {
        var pools = catalogue().pools();
        var spec = YAML.convertValue(yaml(tier), TrainingTierSpec.class);
        return new Catalogue(pools, new TreeMap<>(Map.of(name, Tier.of(name, spec, pools))), List.of());
    }

    public static ObjectNode yaml(String text) {
        try {
            return (ObjectNode) YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public static PodRequest request(ObjectNode pod) {
        return new PodRequest(pod, "training", NamespaceFacts.NONE);
    }

    /** Returns a pod of one container with these lines, indented for {@code spec.containers[0]}. */
    public static ObjectNode pod(String container) {
        return yaml("""
                apiVersion: v1
                kind: Pod
                metadata: {name: train}
                spec:
                  containers:
                    - name: tensorflow
                %s""".formatted(container.indent(6)));
    }

    public static JsonNode apply(JsonNode patch, JsonNode pod) {
        return JsonPatch.apply(patch.deepCopy(), pod.deepCopy());
    }
}
