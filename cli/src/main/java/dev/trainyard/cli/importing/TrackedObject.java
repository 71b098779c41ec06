package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An object in a YAML or JSON file. Records which of its members were read, so that {@link ImportRemarks} can name the others. The case of
 * member names is ignored, as in the tools that read these files.
 */
final class TrackedObject {

    private final String place;
    private final JsonNode node;
    private final ImportRemarks remarks;
    private final Set<String> read = new TreeSet<>();

    /** @param place the file and path, for remarks */
    TrackedObject(String place, JsonNode node, ImportRemarks remarks) {
        this.place = place;
        this.node = node;
        this.remarks = remarks;
    }

    String place() {
        return place;
    }

    String place(String member) {
        return place.endsWith(":") ? place + " " + member : place + "." + member;
    }

    boolean has(String member) {
        var value = find(member);
        return !value.isMissingNode() && !value.isNull();
    }

    /** Returns a string, number or boolean as text; empty if the member is missing or blank. */
    Optional<String> text(String member) {
        var value = take(member);
        if (!value.isValueNode() || value.isNull()) {
            if (value.isContainerNode()) {
                remark(member, "not imported: expected a string");
            }
            return Optional.empty();
        }
        return Optional.of(value.asText().strip()).filter(text -> !text.isEmpty());
    }

    /** Returns a whole number, which may be written as a string; empty if the member is missing or invalid. */
    OptionalInt number(String member) {
        var text = text(member);
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(text.get()));
        } catch (NumberFormatException e) {
            remark(member, "not imported: expected a whole number");
            return OptionalInt.empty();
        }
    }

    Optional<Boolean> flag(String member) {
        return text(member).map(text -> text.equalsIgnoreCase("true"));
    }

    /** Returns an object; an empty one if the member is missing. */
    TrackedObject section(String member) {
        return new TrackedObject(place(member), take(member), remarks);
    }

    List<TrackedObject> sections(String member) {
        var items = new ArrayList<TrackedObject>();
        for (var item : take(member)) {
            items.add(new TrackedObject("%s[%d]".formatted(place(member), items.size()), item, remarks));
        }
        return items;
    }

    List<String> texts(String member) {
        var items = new ArrayList<String>();
        take(member).forEach(item -> items.add(item.asText()));
        return items;
    }

    /** Returns an object whose members are all strings, such as labels. */
    SortedMap<String, String> map(String member) {
        var members = new TreeMap<String, String>();
        take(member)
                .properties()
                .forEach(entry -> members.put(entry.getKey(), entry.getValue().asText()));
        return members;
    }

    /** Returns the names of the members as they are written. */
    List<String> members() {
        var names = new ArrayList<String>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Marks members as read. Pools and tiers have no counterpart of these members, so no remark is needed. */
    void passOver(String... members) {
        for (var member : members) {
            read.add(member.toLowerCase(Locale.ROOT));
        }
    }

    void remark(String member, String advice) {
        var value = take(member);
        remarks.add(place(member), value.isContainerNode() ? value.toString() : value.asText(""), advice);
    }

    /** Adds a remark for each member that was not read. */
    void remarkOnTheRest() {
        members().stream()
                .filter(member -> !read.contains(member.toLowerCase(Locale.ROOT)))
                .filter(this::has)
                .forEach(member -> remark(
                        member,
                        "not imported: Trainyard does not know this field; check whether a pool needs such a setting"));
    }

    private JsonNode take(String member) {
        read.add(member.toLowerCase(Locale.ROOT));
        return find(member);
    }

    private JsonNode find(String member) {
        if (node.has(member)) {
            return node.get(member);
        }
        for (var entry : node.properties()) {
            if (entry.getKey().equalsIgnoreCase(member)) {
                return entry.getValue();
            }
        }
        return MissingNode.getInstance();
    }
}
