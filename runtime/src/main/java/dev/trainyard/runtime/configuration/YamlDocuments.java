package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * YAML documents, read as a stream. Aliases and merge keys ({@code <<}) are resolved as in kubectl: each alias is a copy of the anchored
 * value, and an explicit field overrides a merged one.
 */
final class YamlDocuments implements Documents {

    /**
     * The most values that the aliases of a text may expand to. Without this limit, a text of a few lines could expand to billions of
     * values.
     */
    static final int MOST_COPIED = 1_000_000;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int DEEPEST = StreamReadConstraints.DEFAULT_MAX_DEPTH;
    private static final String MERGE = "<<";

    // The reader copies the start of a long scalar each time its buffer is full. With the default of 1 KiB, a scalar of
    // 4 MiB takes many seconds.
    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setBufferSize(1 << 20)
            .setCodePointLimit(Integer.MAX_VALUE)
            .build();

    private final Iterator<Event> events;
    private final Map<Anchor, Anchored> anchors = new HashMap<>();
    private long values;
    private long copied;

    /** @param size number of values in the anchored value, including itself */
    private record Anchored(JsonNode value, long size) {}

    YamlDocuments(InputStream stream) {
        events = new Parse(SETTINGS).parseInputStream(stream).iterator();
    }

    @Override
    public @Nullable JsonNode next(Items items) throws UnreadableTextException {
        try {
            anchors.clear();
            while (events.hasNext()) {
                if (events.next().getEventId() == Event.ID.DocumentStart) {
                    return value(events.next(), 0, items);
                }
            }
            return null;
        } catch (ReaderException e) {
            throw new UnreadableTextException(
                    0, "not YAML: character U+%04X is not allowed".formatted(e.getCodePoint()));
        } catch (MarkedYamlEngineException e) {
            throw new UnreadableTextException(
                    line(e.getProblemMark()),
                    "not YAML: "
                            + Optional.ofNullable(e.getContext())
                                    .map(context -> context + ", ")
                                    .orElse("")
                            + e.getProblem());
        } catch (YamlEngineException e) {
            throw new UnreadableTextException(0, "not YAML: expected text in UTF-8");
        }
    }

    private JsonNode value(Event event, int depth, @Nullable Items items) throws UnreadableTextException {
        if (depth > DEEPEST) {
            throw wrong(event, "nested more than %d levels deep".formatted(DEEPEST));
        }
        long before = values++;
        if (event instanceof ScalarEvent scalar) {
            return anchored(scalar.getAnchor(), YamlScalars.read(scalar), before);
        }
        if (event instanceof SequenceStartEvent sequence) {
            var list = JSON.arrayNode();
            for (var next = events.next(); next.getEventId() != Event.ID.SequenceEnd; next = events.next()) {
                list.add(value(next, depth + 1, null));
            }
            return anchored(sequence.getAnchor(), list, before);
        }
        if (event instanceof MappingStartEvent mapping) {
            return anchored(mapping.getAnchor(), mapping(depth, items), before);
        }
        return copy((AliasEvent) event);
    }

    private ObjectNode mapping(int depth, @Nullable Items items) throws UnreadableTextException {
        var object = JSON.objectNode();
        var lines = new HashMap<String, Integer>();
        var merged = new ArrayList<JsonNode>();
        for (var key = events.next(); key.getEventId() != Event.ID.MappingEnd; key = events.next()) {
            var name = name(key, depth);
            var value = events.next();
            if (isMerge(key)) {
                merged.addAll(mappings(value, depth));
                continue;
            }
            var first = lines.putIfAbsent(name, line(key.getStartMark()));
            if (first != null) {
                throw wrong(
                        key,
                        "field '%s' occurs twice, first in line %d; expected each field once".formatted(name, first));
            }
            if (items != null && name.equals(ITEMS) && value instanceof SequenceStartEvent && items.begin(object)) {
                for (var next = events.next(); next.getEventId() != Event.ID.SequenceEnd; next = events.next()) {
                    items.item(value(next, depth + 2, null));
                }
            } else {
                object.set(name, value(value, depth + 1, null));
            }
        }
        merged.forEach(
                mapping -> mapping.properties().forEach(field -> object.putIfAbsent(field.getKey(), field.getValue())));
        return object;
    }

    private String name(Event key, int depth) throws UnreadableTextException {
        if (key instanceof ScalarEvent scalar) {
            anchored(scalar.getAnchor(), YamlScalars.read(scalar), values++);
            return scalar.getValue();
        }
        var name = key instanceof AliasEvent ? value(key, depth + 1, null) : JSON.missingNode();
        if (!name.isValueNode()) {
            throw wrong(
                    key,
                    "not YAML: expected the name of a field, found a mapping or a list; fill in templates such as {{ x }} first");
        }
        return name.asText();
    }

    private static boolean isMerge(Event key) {
        return key instanceof ScalarEvent scalar
                && scalar.isPlain()
                && scalar.getValue().equals(MERGE);
    }

    /**
     * Returns the mappings to merge: the value of the merge key itself, or the items of that value if it is a list. Earlier mappings have
     * precedence.
     */
    private List<JsonNode> mappings(Event event, int depth) throws UnreadableTextException {
        var value = value(event, depth + 1, null);
        var mappings = new ArrayList<JsonNode>();
        if (value.isArray()) {
            value.forEach(mappings::add);
        } else {
            mappings.add(value);
        }
        if (!mappings.stream().allMatch(JsonNode::isObject)) {
            throw wrong(event, "the value of '<<' must be a mapping or a list of mappings");
        }
        return mappings;
    }

    private JsonNode anchored(Optional<Anchor> anchor, JsonNode value, long before) {
        anchor.ifPresent(name -> anchors.put(name, new Anchored(value, values - before)));
        return value;
    }

    private JsonNode copy(AliasEvent alias) throws UnreadableTextException {
        var anchored = anchors.get(alias.getAlias());
        if (anchored == null) {
            throw wrong(alias, "alias '*%s' has no anchor before it".formatted(alias.getAlias()));
        }
        values += anchored.size() - 1;
        copied += anchored.size();
        if (copied > MOST_COPIED) {
            throw wrong(
                    alias, "aliases expand to more than %d values; use fewer nested aliases".formatted(MOST_COPIED));
        }
        return anchored.value().deepCopy();
    }

    private static UnreadableTextException wrong(Event event, String message) {
        return new UnreadableTextException(line(event.getStartMark()), message);
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(at -> at.getLine() + 1).orElse(0);
    }
}
