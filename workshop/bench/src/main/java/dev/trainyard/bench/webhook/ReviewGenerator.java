package dev.trainyard.bench.webhook;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A generator of AdmissionReviews as kube-apiserver sends them if the Job controller creates the pod of a plain TensorFlow Job. Larger
 * reviews have more environment variables. Each variable is also listed in {@code managedFields}, as by the API server.
 */
public final class ReviewGenerator {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String PLAIN = "review.json";
    private static final String CONTAINER = "k:{\"name\":\"tensorflow\"}";
    private static final String GPU = "nvidia.com/gpu";

    private ReviewGenerator() {}

    /**
     * Returns an admission review of an exact length.
     *
     * @param bytes the exact length of the review
     * @throws IllegalArgumentException if the review of a plain pod is longer
     */
    public static byte[] of(ReviewKind kind, int bytes) {
        var review = plain();
        if (kind == ReviewKind.UNTOUCHED) {
            withoutGpu(review);
        }
        int variables = 0;
        while (missing(review, bytes) > 0) {
            add(review, "HYPERPARAMETER_%03d".formatted(variables++), "0.001");
        }
        if (variables > 0) {
            removeLast(review); // the last one may exceed the length; padding of an argument fills the rest
        }
        var arguments = (ArrayNode) container(review).path("args");
        int rest = missing(review, bytes);
        if (rest < 0) {
            throw new IllegalArgumentException(
                    "%d bytes: the review of a plain pod has %d".formatted(bytes, bytes - rest));
        }
        arguments.set(0, arguments.get(0).asText() + "x".repeat(rest));
        return encoded(review);
    }

    private static int missing(ObjectNode review, int bytes) {
        return bytes - encoded(review).length;
    }

    private static void withoutGpu(ObjectNode review) {
        var resources = (ObjectNode) container(review).path("resources");
        resources.withObjectProperty("limits").remove(GPU);
        resources.withObjectProperty("requests").remove(GPU);
        var fields = managedContainer(review).withObjectProperty("f:resources");
        fields.withObjectProperty("f:limits").remove("f:" + GPU);
        fields.withObjectProperty("f:requests").remove("f:" + GPU);
    }

    private static void add(ObjectNode review, String name, String value) {
        ((ArrayNode) container(review).path("env"))
                .addObject()
                .put("name", name)
                .put("value", value);
        var fields = NODES.objectNode();
        fields.putObject(".");
        fields.putObject("f:name");
        fields.putObject("f:value");
        managedContainer(review).withObjectProperty("f:env").set("k:{\"name\":\"%s\"}".formatted(name), fields);
    }

    private static void removeLast(ObjectNode review) {
        var variables = (ArrayNode) container(review).path("env");
        var last = variables.remove(variables.size() - 1);
        managedContainer(review)
                .withObjectProperty("f:env")
                .remove("k:{\"name\":\"%s\"}".formatted(last.path("name").asText()));
    }

    private static ObjectNode container(ObjectNode review) {
        return (ObjectNode) review.at("/request/object/spec/containers/0");
    }

    private static ObjectNode managedContainer(ObjectNode review) {
        return (ObjectNode) review.at("/request/object/metadata/managedFields/0/fieldsV1/f:spec/f:containers")
                .path(CONTAINER);
    }

    private static ObjectNode plain() {
        try (InputStream file = Objects.requireNonNull(ReviewGenerator.class.getResourceAsStream(PLAIN), PLAIN)) {
            return (ObjectNode) JSON.readTree(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] encoded(ObjectNode review) {
        return review.toString().getBytes(StandardCharsets.UTF_8);
    }
}
