package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Pods and the objects that describe their gangs, from a file in {@code resources/gangs}. */
record GangFixture(List<Pod> pods, List<ObjectNode> objects) {

    private static final YAMLMapper YAML = new YAMLMapper();

    /**
     * A gang of the file, with the pods of the file that belong to it.
     *
     * @param of name, size and total
     */
    record Members(String of, int pods) {}

    static GangFixture read(String file) {
        var pods = new ArrayList<Pod>();
        var objects = new ArrayList<ObjectNode>();
        try (var in = Objects.requireNonNull(GangFixture.class.getResourceAsStream("/gangs/" + file), file);
                var documents = YAML.readerFor(ObjectNode.class).<ObjectNode>readValues(in)) {
            while (documents.hasNext()) {
                var document = documents.next();
                if (document.path("kind").asText().equals("Pod")) {
                    pods.add(YAML.treeToValue(document, Pod.class));
                } else {
                    objects.add(document);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new GangFixture(pods, objects);
    }

    static Pod pod(String yaml) {
        try {
            return YAML.readValue(yaml, Pod.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode object(String yaml) {
        try {
            return YAML.readTree(yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the first pod with a name that starts so. */
    Pod first(String start) {
        return pods.stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(start))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no pod " + start));
    }

    /** Returns the object that a pod's claim refers to. */
    ObjectNode objectOf(OfObject claim) {
        var wanted = claim.object();
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(wanted.kind())
                        && object.path("apiVersion").asText().startsWith(wanted.group() + "/")
                        && object.at("/metadata/name").asText().equals(wanted.name())
                        && object.at("/metadata/namespace").asText().equals(wanted.namespace()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no object " + wanted));
    }

    /** Returns the gang of a pod; empty if the pod counts alone. */
    Optional<Gang> gang(Pod pod) {
        return GangClaim.of(pod).flatMap(claim -> {
            if (claim instanceof OfObject ofObject) {
                return ofObject.reading().apply(objectOf(ofObject));
            }
            return Optional.of(((Stated) claim).gang());
        });
    }

    /** Returns the gangs of all pods whose names start so, and checks that a key belongs to one gang only. */
    List<Members> gangs(String start) {
        var keys = new LinkedHashMap<Gang, Integer>();
        pods.stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(start))
                .flatMap(pod -> gang(pod).stream())
                .forEach(gang -> keys.merge(gang, 1, Integer::sum));
        assertThat(keys.keySet().stream().map(Gang::key)).doesNotHaveDuplicates();
        return keys.entrySet().stream()
                .map(entry -> new Members(text(entry.getKey()), entry.getValue()))
                .toList();
    }

    /** Returns the distinct groups of the claims of all pods whose names start so. */
    List<String> groups(String start) {
        return pods.stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(start))
                .flatMap(pod -> GangClaim.of(pod).stream())
                .map(GangClaim::group)
                .distinct()
                .toList();
    }

    /** Returns the file's gangs without the objects, as far as the pods know them. */
    Map<String, String> known() {
        var known = new LinkedHashMap<String, String>();
        pods.forEach(pod -> known.put(
                pod.getMetadata().getName(),
                GangClaim.of(pod)
                        .flatMap(claim -> ((OfObject) claim).otherwise())
                        .map(claim -> text(((Stated) claim).gang()))
                        .orElse("none")));
        return known;
    }

    static String text(Gang gang) {
        return "%s: %d, by %s".formatted(gang.name(), gang.size(), gang.source());
    }
}
