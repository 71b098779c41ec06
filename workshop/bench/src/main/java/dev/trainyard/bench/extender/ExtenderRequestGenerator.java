package dev.trainyard.bench.extender;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.bench.load.Call;
import dev.trainyard.bench.load.Target;
import dev.trainyard.core.Names;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A generator of requests as kube-scheduler 1.36 sends them if the extender is {@code nodeCacheCapable}: the pod without its
 * {@code managedFields}, then {@code "Nodes":null}, then the names. Each pod is different, because the scheduler asks about a pod only
 * once. The order of the names also differs, because the scheduler's parallel workers append nodes as they finish.
 */
final class ExtenderRequestGenerator {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String POD = "pod.json";
    private static final String GPU = "nvidia.com/gpu";

    private record Shape(String tier, int gpus, String cpu, String memory) {}

    /** Pod shapes. Each requests at most as many GPUs as are free on every node of {@link GeneratedCluster}. */
    private static final List<Shape> SHAPES = List.of(
            new Shape("light-first", 1, "4", "16Gi"),
            new Shape("light-first", 2, "8", "64Gi"),
            new Shape("heavy-first", 1, "5500m", "80Gi"),
            new Shape("heavy-first", GeneratedCluster.ROOM_GPUS, "11", "160Gi"),
            new Shape("light-first", 1, "500m", "2Gi"));

    private ExtenderRequestGenerator() {}

    /** @param names number of nodes in each choose or filter request */
    static List<ExtenderRequests> of(GeneratedCluster fleet, int names, int pods, long seed) {
        var random = new Random(seed);
        var questions = new ArrayList<ExtenderRequests>();
        for (int number = 0; number < pods; number++) {
            var asked = new ArrayList<>(fleet.names());
            Collections.shuffle(asked, random);
            questions.add(question(fleet, asked.subList(0, names), pod(number, random)));
        }
        return List.copyOf(questions);
    }

    /**
     * Returns the requests to a server.
     *
     * @param verbs the calls about each pod, in order
     */
    static List<Call> series(List<ExtenderRequests> questions, List<Verb> verbs, Target target) {
        return questions.stream()
                .flatMap(question -> verbs.stream()
                        .map(verb -> new Call(verb.word(), target.request(verb.path(), question.body(verb)))))
                .toList();
    }

    private static ExtenderRequests question(GeneratedCluster fleet, List<String> names, ObjectNode pod) {
        var left = names.stream().filter(name -> !fleet.isRemoving(name)).toList();
        return new ExtenderRequests(
                pod.at("/metadata/name").asText(), List.copyOf(names), left, body(pod, names), body(pod, left));
    }

    private static byte[] body(ObjectNode pod, List<String> names) {
        return names.stream()
                .map(name -> "\"" + name + "\"")
                .collect(Collectors.joining(",", "{\"Pod\":" + pod + ",\"Nodes\":null,\"NodeNames\":[", "]}"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static ObjectNode pod(int number, Random random) {
        var shape = SHAPES.get(number % SHAPES.size());
        var pod = plain();
        var job = "tftrain-" + letters(random);
        var jobUid = uid(random);
        var metadata = (ObjectNode) pod.path("metadata");
        metadata.put("name", job + "-" + letters(random))
                .put("generateName", job + "-")
                .put("uid", uid(random))
                .put("resourceVersion", Integer.toString(184_467 + 13 * number));
        metadata.withObjectProperty("labels")
                .put("batch.kubernetes.io/controller-uid", jobUid)
                .put("batch.kubernetes.io/job-name", job)
                .put("controller-uid", jobUid)
                .put("job-name", job);
        metadata.withObjectProperty("annotations").put(Names.TIER, shape.tier());
        ((ObjectNode) metadata.path("ownerReferences").path(0)).put("name", job).put("uid", jobUid);
        var resources = (ObjectNode) pod.at("/spec/containers/0/resources");
        var gpus = Integer.toString(shape.gpus());
        resources.withObjectProperty("limits").put(GPU, gpus);
        resources
                .withObjectProperty("requests")
                .put("cpu", shape.cpu())
                .put("memory", shape.memory())
                .put(GPU, gpus);
        return pod;
    }

    private static String letters(Random random) {
        return Stream.generate(() -> "bcdfghjklmnpqrstvwxz2456789".charAt(random.nextInt(27)))
                .limit(5)
                .map(String::valueOf)
                .collect(Collectors.joining());
    }

    private static String uid(Random random) {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private static ObjectNode plain() {
        try (InputStream file = Objects.requireNonNull(ExtenderRequestGenerator.class.getResourceAsStream(POD), POD)) {
            return (ObjectNode) JSON.readTree(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
