package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.webhook.pod.GpuNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The parts of policies that are in YAML files beside this class.
 *
 * @param ownNamespace Trainyard's own namespace, in which pods stay unchanged
 * @param gpuNames the resource names by which pods request GPUs
 */
record Rules(String ownNamespace, GpuNames gpuNames) {

    /** The name of the match condition for pods that request a GPU or name a tier. */
    static final String WANTS_GPU_OR_NAMES_TIER = "wants-gpu-or-names-tier";

    /** The name of the match condition for pods whose own annotation names no tier. */
    static final String NAMES_NO_TIER = "names-no-tier";

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String GPU_NAMES = "GPU_NAMES";

    /**
     * Returns a policy.
     *
     * @param condition the match condition for pods: {@link #WANTS_GPU_OR_NAMES_TIER} or {@link #NAMES_NO_TIER}
     * @param data CEL expressions by variable name. These variables follow the variables of {@code pods.yaml} and precede those of
     *     {@code file}. An expression may use all earlier variables
     * @param file the YAML file with the parts that only this policy has
     */
    ObjectNode policy(String kind, String name, String condition, Map<String, String> data, String file) {
        var pods = read("pods.yaml");
        var own = read(file);
        var policy = named(kind, name);
        var spec = policy.putObject("spec");
        own.properties().stream()
                .filter(member -> member.getValue().isTextual())
                .forEach(member -> spec.set(member.getKey(), member.getValue()));
        spec.set("matchConstraints", pods.path("matchConstraints"));
        namespaces(spec.withObject("/matchConstraints/namespaceSelector"));
        var conditions = spec.putArray("matchConditions");
        conditions
                .addObject()
                .put("name", condition)
                .put("expression", withGpuNames(pods.at("/conditions/" + condition)));
        conditions.addAll((ArrayNode) pods.path("matchConditions"));
        var variables = spec.putArray("variables");
        add(variables, pods.path("variables"));
        data.forEach((variable, expression) ->
                variables.addObject().put("name", variable).put("expression", expression));
        add(variables, own.path("variables"));
        List.of("mutations", "validations").forEach(list -> {
            if (own.has(list)) {
                spec.set(list, own.path(list));
            }
        });
        return policy;
    }

    private void add(ArrayNode variables, JsonNode ofFile) {
        ofFile.forEach(variable -> variables
                .addObject()
                .put("name", variable.path("name").asText())
                .put("expression", withGpuNames(variable.path("expression"))));
    }

    /** Returns the binding that puts the policy {@code name} into force. */
    static ObjectNode binding(String kind, String name) {
        var binding = named(kind, name);
        binding.putObject("spec").put("policyName", name);
        return binding;
    }

    private static ObjectNode named(String kind, String name) {
        var object = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", "admissionregistration.k8s.io/v1")
                .put("kind", kind);
        // With these labels, "kubectl apply --prune" finds and removes the policies of deleted tiers: docs/policy.md.
        object.putObject("metadata")
                .put("name", name)
                .putObject("labels")
                .put("app.kubernetes.io/part-of", "trainyard")
                .put("app.kubernetes.io/component", "policy");
        return object;
    }

    private void namespaces(ObjectNode selector) {
        var others = selector.putArray("matchExpressions")
                .addObject()
                .put("key", "kubernetes.io/metadata.name")
                .put("operator", "NotIn");
        others.putArray("values").add("kube-system").add(ownNamespace);
    }

    private String withGpuNames(JsonNode expression) {
        var names = JsonNodeFactory.instance.arrayNode();
        gpuNames.all().forEach(names::add);
        return expression.asText().replace(GPU_NAMES, Cel.literal(names));
    }

    private static ObjectNode read(String file) {
        try (var stream = Objects.requireNonNull(Rules.class.getResourceAsStream(file), file)) {
            return (ObjectNode) YAML.readTree(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }
}
