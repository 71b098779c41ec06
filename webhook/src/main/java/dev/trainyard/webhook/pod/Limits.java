package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Limits for the lists of a pod. A pod that is meant to run never reaches them. The webhook compares every item of a list with every item
 * of another. Without limits, an oversized pod would occupy a thread of the webhook and delay other pods.
 */
public final class Limits {

    /**
     * The limit of items in each list, and of containers and init containers together. The API server only limits the size of the whole
     * pod.
     */
    static final int LONGEST_LIST = 1000;

    /** The limit of required terms, and of preferred terms, in the node affinity. */
    public static final int MOST_TERMS = 500;

    /** The limit of the keys and values of all annotations together, in bytes. The API server rejects a pod above this limit. */
    public static final long MOST_ANNOTATION_BYTES = 262_144;

    // The order decides which list the message names if several are too long.
    private static final List<String> OF_SPEC = List.of("volumes", "tolerations", "imagePullSecrets");
    private static final List<String> OF_CONTAINER = List.of("env", "volumeMounts", "volumeDevices");

    private Limits() {}

    /**
     * Checks the lengths of the lists of a pod.
     *
     * @throws IllegalArgumentException if a list of {@code pod} is longer than its limit; the message names the list
     */
    public static void check(ObjectNode pod) {
        var spec = pod.path("spec");
        require("the pod's containers", size(spec, "containers") + size(spec, "initContainers"), LONGEST_LIST);
        OF_SPEC.forEach(list -> require("spec." + list, size(spec, list), LONGEST_LIST));
        for (var containers : List.of("containers", "initContainers")) {
            for (var container : spec.path(containers)) {
                OF_CONTAINER.forEach(list -> require(list + " of a container", size(container, list), LONGEST_LIST));
            }
        }
        var affinity = spec.path("affinity").path("nodeAffinity");
        require(
                "terms of the preferred node affinity",
                size(affinity, "preferredDuringSchedulingIgnoredDuringExecution"),
                MOST_TERMS);
        var required = affinity.path("requiredDuringSchedulingIgnoredDuringExecution");
        require("terms of the required node affinity", size(required, "nodeSelectorTerms"), MOST_TERMS);
        for (var term : required.path("nodeSelectorTerms")) {
            require("expressions of a term of the node affinity", size(term, "matchExpressions"), LONGEST_LIST);
        }
    }

    /** Returns the length in bytes of the keys and values of all annotations except {@code but}, to compare with {@link #MOST_ANNOTATION_BYTES}. */
    public static long bytesOfAnnotations(JsonNode annotations, String but) {
        return annotations.properties().stream()
                .filter(annotation -> !annotation.getKey().equals(but))
                .mapToLong(annotation ->
                        bytes(annotation.getKey()) + bytes(annotation.getValue().asText()))
                .sum();
    }

    /** Whether an annotation fits beside the other annotations. Its present value is replaced. */
    public static boolean fits(JsonNode annotations, String name, String value) {
        return fits(bytesOfAnnotations(annotations, name), name, value);
    }

    /** Whether an annotation fits beside {@code others}, the bytes of all other annotations. */
    public static boolean fits(long others, String name, String value) {
        return others + bytes(name) + bytes(value) <= MOST_ANNOTATION_BYTES;
    }

    /** Returns the length of {@code text} in bytes, as the API server counts it. */
    public static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int size(JsonNode parent, String list) {
        return parent.path(list).size();
    }

    private static void require(String what, int size, int most) {
        if (size > most) {
            throw new IllegalArgumentException("%s: more than %d, the limit of the webhook".formatted(what, most));
        }
    }
}
