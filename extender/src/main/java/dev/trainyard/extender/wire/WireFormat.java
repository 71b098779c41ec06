package dev.trainyard.extender.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the scheduler's requests and a writer of the answers. It reads one JSON token at a time, because there may be thousands of
 * node names and the scheduler waits. Names of members are capitalised as in Go, because the Go types have no JSON names. Thread-safe.
 */
public final class WireFormat {

    // Pods of a newer API server may have fields that this client does not know; they do not matter here.
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(200).build())
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    // The constant parts of answers.
    private static final byte[] NOTHING = {};
    private static final byte[] COMMA = ascii(",");
    private static final byte[] NODES = ascii("{\"Nodes\":");
    private static final byte[] NODE_NAMES = ascii(",\"NodeNames\":[");
    private static final byte[] FAILED_NODES = ascii("],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{");
    private static final byte[] NO_ERROR = ascii("},\"Error\":\"\"}");
    private static final byte[] HOST = ascii("{\"Host\":");
    private static final byte[] NEXT_HOST = ascii("},{\"Host\":");
    private static final byte[] SCORE = ascii(",\"Score\":");
    private static final byte[] END = ascii("}");

    private static final ObjectReader POD = JSON.readerFor(Pod.class);
    private static final int BYTES_PER_NODE = 64;

    private final NodeIndex index;
    private final NameList names;

    /** @param index finds nodes by name */
    public WireFormat(NodeIndex index) {
        this.index = index;
        this.names = new NameList(index);
    }

    /**
     * Parses the body of a filter or prioritize request.
     *
     * @throws MalformedRequestException if the body is not a request with a pod and nodes
     */
    public ExtenderRequest read(byte[] body) throws MalformedRequestException {
        SentPod pod = null;
        List<IndexedNode> named = null;
        ObjectNode nodes = null;
        boolean complete = false;
        try (var parser = JSON.getFactory().createParser(body)) {
            expectObject(parser, "the request");
            while (!complete && parser.nextToken() == JsonToken.FIELD_NAME) {
                var member = parser.currentName();
                boolean isNull = parser.nextToken() == JsonToken.VALUE_NULL;
                if (isNull) { // Go sends a nil pointer as null
                    continue;
                }
                switch (member) {
                    case "Pod" -> pod = pod(parser, body);
                    case "NodeNames" -> {
                        expectList(parser, member);
                        // Only once: a body of thousands of lists would make as many large lists of names.
                        var last = named == null ? names.readLast(body, start(parser)) : null;
                        complete = last != null;
                        named = last != null ? last : nodes(parser, body);
                    }
                    case "Nodes" -> nodes = object(parser, "Nodes");
                    default -> parser.skipChildren();
                }
            }
        } catch (JsonProcessingException e) {
            throw new MalformedRequestException("not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new MalformedRequestException("cannot be read: " + e.getMessage());
        }
        if (named == null && nodes == null) {
            throw new MalformedRequestException("NodeNames and Nodes are both missing, expected one of them");
        }
        return named != null
                ? new ExtenderRequest(present(pod), named, null)
                : new ExtenderRequest(present(pod), nodesIn(nodes), nodes);
    }

    /**
     * Parses the body of a preemption request.
     *
     * @throws MalformedRequestException if the body is not a request with a pod and victims
     */
    public PreemptionRequest readPreemption(byte[] body) throws MalformedRequestException {
        SentPod pod = null;
        Map<String, PreemptionRequest.Victims> whole = null;
        Map<String, PreemptionRequest.Victims> meta = null;
        try (var parser = JSON.getFactory().createParser(body)) {
            expectObject(parser, "the request");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var member = parser.currentName();
                if (parser.nextToken() == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (member) {
                    case "Pod" -> pod = pod(parser, body);
                    case "NodeNameToVictims" -> whole = victims(object(parser, member), "metadata", "uid");
                    case "NodeNameToMetaVictims" -> meta = victims(object(parser, member), "", "UID");
                    default -> parser.skipChildren();
                }
            }
        } catch (JsonProcessingException e) {
            throw new MalformedRequestException("not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new MalformedRequestException("cannot be read: " + e.getMessage());
        }
        var victims = meta == null ? whole : meta;
        if (victims == null) {
            throw new MalformedRequestException(
                    "NodeNameToMetaVictims and NodeNameToVictims are both missing, expected one of them");
        }
        return new PreemptionRequest(present(pod), victims);
    }

    /**
     * Writes an {@code ExtenderFilterResult}. All refused nodes are {@code FailedAndUnresolvableNodes}, because evictions never help.
     * {@code NodeNames} is never null, because the scheduler would read null as an answer without nodes and without reasons.
     */
    public byte[] write(ExtenderRequest question, Verdicts verdicts) {
        var json = new JsonBytes(
                BYTES_PER_NODE * (verdicts.passed().size() + verdicts.refused().size() + 2));
        json.add(NODES).add(nodeList(question, verdicts)).add(NODE_NAMES);
        var separator = NOTHING;
        for (var node : verdicts.passed()) {
            json.add(separator).add(node.quoted());
            separator = COMMA;
        }
        json.add(FAILED_NODES);
        separator = NOTHING;
        for (var refused : verdicts.refused()) {
            json.add(separator)
                    .add(refused.node().quoted())
                    .add(':')
                    .add(refused.why().quoted());
            separator = COMMA;
        }
        return json.add(NO_ERROR).toArray();
    }

    private static byte[] nodeList(ExtenderRequest question, Verdicts verdicts) {
        return bytes(question.nodeListOf(verdicts.passed()));
    }

    /**
     * Writes a {@code HostPriorityList}. It has whole numbers, because the scheduler silently drops an answer with any other number.
     *
     * @param scores one for each node
     */
    public byte[] write(List<IndexedNode> nodes, int[] scores) {
        var json = new JsonBytes(BYTES_PER_NODE * (scores.length + 1)).add('[');
        for (int i = 0; i < scores.length; i++) {
            json.add(i == 0 ? HOST : NEXT_HOST)
                    .add(nodes.get(i).quoted())
                    .add(SCORE)
                    .add(scores[i]);
        }
        return json.add(scores.length == 0 ? NOTHING : END).add(']').toArray();
    }

    /** Writes an {@code ExtenderPreemptionResult}. */
    public byte[] write(Map<String, PreemptionRequest.Victims> victims) {
        return bytes(Map.of("NodeNameToMetaVictims", victims));
    }

    /**
     * Reads the UID and the resource version of the pod, which come first in the scheduler's JSON, and skips the rest. The parser is at the
     * end of the pod afterwards.
     */
    private static SentPod pod(JsonParser parser, byte[] body) throws IOException, MalformedRequestException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedRequestException("Pod: not an object");
        }
        int start = start(parser);
        var uid = "";
        var resourceVersion = "";
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean metadata = parser.currentName().equals("metadata");
            if (parser.nextToken() == JsonToken.START_OBJECT && metadata) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    var name = parser.currentName();
                    boolean text = parser.nextToken() == JsonToken.VALUE_STRING;
                    if (text && name.equals("uid")) {
                        uid = parser.getText();
                    } else if (text && name.equals("resourceVersion")) {
                        resourceVersion = parser.getText();
                    } else {
                        parser.skipChildren();
                    }
                }
            } else {
                parser.skipChildren();
            }
        }
        int end = start(parser) + 1;
        return new SentPod(POD, body, start, end, uid, resourceVersion);
    }

    private static SentPod present(@Nullable SentPod pod) throws MalformedRequestException {
        if (pod == null) {
            throw new MalformedRequestException("Pod: missing, expected the pod to be scheduled");
        }
        return pod;
    }

    private List<IndexedNode> nodes(JsonParser parser, byte[] body) throws IOException, MalformedRequestException {
        int start = start(parser);
        parser.skipChildren();
        return names.read(body, start, start(parser) + 1);
    }

    /** Returns the position of the current token in the body. The JSON library reads other encodings too, and then has no position. */
    private static int start(JsonParser parser) throws MalformedRequestException {
        int start = (int) parser.currentTokenLocation().getByteOffset();
        if (start < 0) {
            throw new MalformedRequestException("not JSON: not in UTF-8");
        }
        return start;
    }

    private List<IndexedNode> nodesIn(@Nullable ObjectNode list) throws MalformedRequestException {
        var nodes = new ArrayList<IndexedNode>();
        if (list != null) {
            var items = list.path("items");
            if (!items.isArray() && !items.isNull() && !items.isMissingNode()) {
                throw new MalformedRequestException("Nodes.items: not a list");
            }
            for (JsonNode node : items) {
                var name = ExtenderRequest.nameOf(node);
                if (name.isEmpty()) {
                    throw new MalformedRequestException("Nodes.items: a node without a name");
                }
                nodes.add(index.node(name));
            }
        }
        return nodes;
    }

    private static Map<String, PreemptionRequest.Victims> victims(ObjectNode byNode, String parent, String uid) {
        var victims = new LinkedHashMap<String, PreemptionRequest.Victims>();
        byNode.properties().forEach(node -> {
            var pods = new ArrayList<PreemptionRequest.Victim>();
            node.getValue().path("Pods").forEach(pod -> {
                var identified = parent.isEmpty() ? pod : pod.path(parent);
                pods.add(new PreemptionRequest.Victim(identified.path(uid).asText()));
            });
            victims.put(
                    node.getKey(),
                    new PreemptionRequest.Victims(
                            pods, node.getValue().path("NumPDBViolations").asLong()));
        });
        return victims;
    }

    private static ObjectNode object(JsonParser parser, String member) throws IOException, MalformedRequestException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            return JSON.readTree(parser);
        }
        throw new MalformedRequestException(member + ": not an object");
    }

    private static void expectList(JsonParser parser, String member) throws MalformedRequestException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw new MalformedRequestException(member + ": not a list");
        }
    }

    private static void expectObject(JsonParser parser, String what) throws IOException, MalformedRequestException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedRequestException(what + " is not a JSON object");
        }
    }

    /** Returns the path of a problem in the pod, such as {@code .spec.containers[0]}. */
    static String path(JsonMappingException e) {
        return e.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining());
    }

    private static byte[] bytes(@Nullable Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer cannot be written as JSON", e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }
}
