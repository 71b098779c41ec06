package dev.trainyard.extender.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads questions and writes answers. Thread-safe. */
public final class WireFormat {

    /** What the scheduler sends: {@code ExtenderArgs}. Absent pointers of Go travel as null. */
    private record Arguments(
            @JsonProperty("Pod") @Nullable Pod pod,
            @JsonProperty("Nodes") @Nullable ObjectNode nodes,
            @JsonProperty("NodeNames") @Nullable List<@Nullable String> nodeNames) {}

    // A newer API server's pods have fields that this client does not know; they do not matter here.
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private final ObjectReader reader = JSON.readerFor(Arguments.class);
    private final ObjectWriter writer = JSON.writer();

    static {
        JSON.getFactory()
                .setStreamReadConstraints(
                        StreamReadConstraints.builder().maxNestingDepth(200).build());
    }

    /** @throws MalformedRequestException when it is not a question with a pod and nodes */
    public ExtenderRequest read(byte[] body) throws MalformedRequestException {
        var arguments = parse(body);
        if (arguments == null || arguments.pod() == null) {
            throw new MalformedRequestException("Pod: missing, expected the pod to be scheduled");
        }
        var pod = arguments.pod();
        if (pod.getMetadata() == null || pod.getSpec() == null) {
            throw new MalformedRequestException("Pod: has no metadata or no spec");
        }
        return new ExtenderRequest(pod, names(arguments), arguments.nodeNames() == null ? arguments.nodes() : null);
    }

    public byte[] write(FilterAnswer answer) {
        return bytes(answer);
    }

    public byte[] write(List<HostScore> answer) {
        return bytes(answer);
    }

    private static List<String> names(Arguments arguments) throws MalformedRequestException {
        var names = new ArrayList<String>();
        if (arguments.nodeNames() != null) {
            for (var name : arguments.nodeNames()) {
                names.add(named(name, "NodeNames"));
            }
        } else if (arguments.nodes() != null) {
            for (JsonNode node : arguments.nodes().path("items")) {
                names.add(named(ExtenderRequest.nameOf(node), "Nodes.items"));
            }
        } else {
            throw new MalformedRequestException("neither NodeNames nor Nodes is there, expected one of them");
        }
        return names;
    }

    private static String named(@Nullable String name, String where) throws MalformedRequestException {
        if (name == null || name.isEmpty()) {
            throw new MalformedRequestException(where + ": a node without a name");
        }
        return name;
    }

    private @Nullable Arguments parse(byte[] body) throws MalformedRequestException {
        try {
            return reader.readValue(body);
        } catch (JsonMappingException e) {
            throw new MalformedRequestException(path(e) + ": " + e.getOriginalMessage());
        } catch (JsonProcessingException e) {
            throw new MalformedRequestException("not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new MalformedRequestException("cannot be read: " + e.getMessage());
        }
    }

    private static String path(JsonMappingException e) {
        var path = e.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining());
        return path.isEmpty() ? "the request" : path.substring(path.charAt(0) == '.' ? 1 : 0);
    }

    private byte[] bytes(Object answer) {
        try {
            return writer.writeValueAsBytes(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer cannot be written as JSON", e);
        }
    }
}
