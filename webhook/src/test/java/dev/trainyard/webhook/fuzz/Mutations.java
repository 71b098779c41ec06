package dev.trainyard.webhook.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Mutations of a review: first of its tree, which stays JSON, then of its bytes, which seldom stay JSON. */
final class Mutations {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Values that are written as raw text, because a tree cannot hold them. */
    private static final List<String> RAW = List.of(
            "1e400",
            "-1e-400",
            "1E2147483648",
            "123456789012345678901234567890",
            "9".repeat(999),
            "9".repeat(1001),
            "0." + "3".repeat(900),
            "-0",
            "\"\\ud800\"",
            "\"\\udc00x\"",
            "\"\\u0000\"",
            "\"\\u001b[31mred\\u0007\\n2026 ERROR\"",
            "\"\\u2028\\u202e\\ufeff\"",
            "\"\\ud83d\\ude00\"",
            "{\"a\":1,\"a\":{}}",
            "{\"~\":1,\"/\":2,\"~1\":3,\"\":4}",
            "NaN",
            "{\"\\ud800\":1}");

    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "0",
            "-1",
            "0.5",
            "1e3",
            "99999999999999999999",
            "1Ei",
            "1e999999999",
            "1e-999999999",
            "1e2147483648",
            "~",
            "/",
            "a~0b~1c",
            "${jndi:x}",
            "false",
            "null",
            "../..",
            "default",
            "kube-system",
            "trainyard.dev/tier",
            "Exists",
            "In",
            "Gt",
            "NoSchedule");

    private static final List<String> KEYS = List.of(
            "a~b/c",
            "~",
            "/",
            "",
            "-",
            "0",
            "nvidia.com/gpu",
            "alpha.kubernetes.io/nvidia-gpu",
            "trainyard.dev/tier",
            "trainyard.dev/gang",
            "trainyard.dev/gang-size",
            "trainyard.dev/inject",
            "trainyard.dev/injected",
            "kubernetes.io/config.mirror",
            "name",
            "value",
            "spec",
            "metadata",
            "annotations",
            "containers",
            "initContainers",
            "volumes",
            "volumeMounts",
            "mountPath",
            "hostPath",
            "env",
            "resources",
            "limits",
            "requests",
            "affinity",
            "nodeAffinity",
            "requiredDuringSchedulingIgnoredDuringExecution",
            "preferredDuringSchedulingIgnoredDuringExecution",
            "nodeSelectorTerms",
            "matchExpressions",
            "operator",
            "values",
            "tolerations",
            "ownerReferences",
            "nodeName",
            "nodeSelector",
            "overhead",
            "ephemeralContainers");

    private static final List<String> TOKENS = List.of(
            "{", "}", "[", "]", "\"", ":", ",", "null", "\\", "\\u", "\uFEFF", "//", "{}", "[[[[", "1e9", " ", "\n");

    private final Random random;
    private final FuzzReviews reviews;

    Mutations(Random random, FuzzReviews reviews) {
        this.random = random;
        this.reviews = reviews;
    }

    /** Returns a random review with some mutations, now and then with none. */
    byte[] body() {
        var review = reviews.any(random);
        for (int changes = random.nextInt(5); changes > 0; changes--) {
            changeTree(review);
        }
        var bytes = review.toString().getBytes(UTF_8);
        if (chance(4)) {
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                bytes = changeBytes(bytes);
            }
        }
        return chance(1500) ? huge() : bytes;
    }

    private void changeTree(ObjectNode review) {
        // Most changes are in the pod, because the webhook reads little of the rest.
        var places = containers(chance(6) ? review : review.path("request").path("object"), new ArrayList<>());
        if (places.isEmpty()) {
            return;
        }
        var place = pick(places);
        if (place instanceof ObjectNode object) {
            changeObject(object, review);
        } else if (place instanceof ArrayNode array) {
            changeArray(array, review);
        }
    }

    private void changeObject(ObjectNode object, ObjectNode review) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        if (names.isEmpty() || chance(4)) {
            object.set(chance(8) ? "\u001b\n" + random.nextInt() : pick(KEYS), value(review));
            return;
        }
        var name = pick(names);
        switch (random.nextInt(5)) {
            case 0 -> object.remove(name);
            case 1 -> {
                var moved = object.remove(name);
                object.set(pick(KEYS), moved);
            }
            case 2 -> {
                // The same key twice; parsers may treat that in different ways.
                var twice = "{%s:%s,%1$s:%s}".formatted(NODES.textNode(name), value(review), object.get(name));
                object.removeAll();
                object.putRawValue(name, new RawValue(twice));
            }
            default -> object.set(name, value(review));
        }
    }

    private void changeArray(ArrayNode array, ObjectNode review) {
        if (array.isEmpty() || chance(3)) {
            array.insert(random.nextInt(array.size() + 1), value(review));
            return;
        }
        int index = random.nextInt(array.size());
        switch (random.nextInt(5)) {
            case 0 -> array.remove(index);
            case 1 -> array.add(array.get(index).deepCopy());
            case 2 -> array.insertNull(index);
            case 3 -> {
                for (int times = random.nextInt(chance(20) ? 2000 : 20); times > 0; times--) {
                    array.add(array.get(index).deepCopy());
                }
            }
            default -> array.set(index, value(review));
        }
    }

    private JsonNode value(ObjectNode review) {
        return switch (random.nextInt(12)) {
            case 0 -> NODES.nullNode();
            case 1 -> NODES.booleanNode(random.nextBoolean());
            case 2 -> NODES.numberNode(random.nextInt(5) - 1);
            case 3 -> NODES.numberNode(random.nextBoolean() ? random.nextLong() : random.nextGaussian());
            case 4, 5 -> NODES.textNode(pick(TEXTS));
            case 6 -> NODES.textNode("x/~".repeat(random.nextInt(chance(10) ? 100_000 : 200)));
            case 7 -> chance(2) ? NODES.arrayNode() : NODES.arrayNode().addNull();
            case 8 -> chance(2) ? NODES.objectNode() : NODES.objectNode().putNull(pick(KEYS));
            case 9 -> NODES.rawValueNode(new RawValue(pick(RAW)));
            case 10 -> NODES.rawValueNode(new RawValue(deep()));
            default -> {
                var all = containers(review, new ArrayList<>());
                var copied = all.isEmpty() ? NODES.nullNode() : pick(all).deepCopy();
                yield copied.toString().length() > 20_000 ? NODES.nullNode() : copied;
            }
        };
    }

    /** Returns a value with a depth near the limits of parsers, writers and stacks. */
    private String deep() {
        int depth =
                pick(List.of(10, 100, 400, 480, 490, 495, 499, 500, 501, 900, 990, 995, 999, 1000, 1001, 5000, 50_000));
        int inside = Math.max(1, depth - random.nextInt(12));
        return chance(2)
                ? "[".repeat(inside) + "]".repeat(inside)
                : "{\"a\":".repeat(inside) + "1" + "}".repeat(inside);
    }

    private byte[] changeBytes(byte[] bytes) {
        if (bytes.length == 0) {
            return new byte[] {(byte) random.nextInt(256)};
        }
        int at = random.nextInt(bytes.length);
        int until = Math.min(bytes.length, at + 1 + random.nextInt(chance(5) ? 1000 : 8));
        switch (random.nextInt(7)) {
            case 0 -> {
                var changed = bytes.clone();
                changed[at] ^= (byte) (1 << random.nextInt(8));
                return changed;
            }
            case 1 -> {
                var noise = new byte[1 + random.nextInt(8)];
                random.nextBytes(noise);
                return joined(bytes, at, noise, at);
            }
            case 2 -> {
                return joined(bytes, at, new byte[0], until);
            }
            case 3 -> {
                var other = reviews.any(random).toString().getBytes(UTF_8);
                int from = random.nextInt(other.length);
                var part = Arrays.copyOfRange(other, from, Math.min(other.length, from + random.nextInt(200)));
                return joined(bytes, at, part, at);
            }
            case 4 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 5 -> {
                return joined(bytes, at, Arrays.copyOfRange(bytes, at, until), at);
            }
            default -> {
                return joined(bytes, at, pick(TOKENS).getBytes(UTF_8), at);
            }
        }
    }

    /** Returns a body near the maximum length, or a little longer. */
    private byte[] huge() {
        int length = (8 << 20) - 100 + random.nextInt(200);
        var unit = pick(List.of("[", "[],", "1,", "{\"a\":", "\"\\u0000\",", " ", "x"));
        return unit.repeat(length / unit.length()).getBytes(UTF_8);
    }

    private static byte[] joined(byte[] bytes, int headEnd, byte[] middle, int tailStart) {
        var out = new ByteArrayOutputStream(bytes.length + middle.length);
        out.write(bytes, 0, headEnd);
        out.writeBytes(middle);
        out.write(bytes, tailStart, bytes.length - tailStart);
        return out.toByteArray();
    }

    private static List<JsonNode> containers(JsonNode node, List<JsonNode> found) {
        if (node.isContainerNode()) {
            found.add(node);
            node.forEach(child -> containers(child, found));
        }
        return found;
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
