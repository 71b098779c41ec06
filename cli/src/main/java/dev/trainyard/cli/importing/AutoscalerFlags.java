package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The flags of Kubernetes' cluster autoscaler.
 *
 * @param place the file and, in a manifest, the object
 * @param nodes the groups in the flags {@code --nodes}
 * @param discovery the rules for finding groups
 * @param settings the last value of every other flag, by the flag's name without leading dashes
 */
record AutoscalerFlags(String place, List<Group> nodes, List<Discovery> discovery, SortedMap<String, String> settings) {

    /** The flag {@code --nodes=1:10:name}. */
    record Group(int min, int max, String name) {}

    /**
     * The flag {@code --node-group-auto-discovery=asg:tag=key,other=value}.
     *
     * @param tags the tags that a group must have; an empty value matches any value
     */
    record Discovery(String text, SortedMap<String, String> tags) {}

    AutoscalerFlags {
        nodes = List.copyOf(nodes);
        discovery = List.copyOf(discovery);
    }

    /** Returns the flags of each container of an object such as a Deployment. Skips containers without a flag about groups. */
    static Stream<AutoscalerFlags> ofManifest(String file, JsonNode object, ImportRemarks remarks) {
        var place = "%s: %s %s"
                .formatted(
                        file,
                        object.path("kind").asText(),
                        object.path("metadata").path("name").asText());
        var pod = object.path("spec").has("containers")
                ? object.path("spec")
                : object.path("spec").path("template").path("spec");
        var flags = new ArrayList<AutoscalerFlags>();
        for (var container : pod.path("containers")) {
            var words = new ArrayList<String>();
            for (var list : List.of("command", "args")) {
                container
                        .path(list)
                        .forEach(word ->
                                words.addAll(List.of(word.asText().strip().split("\\s+"))));
            }
            if (words.stream().anyMatch(word -> word.startsWith("--node"))) {
                flags.add(parse(place, words, remarks));
            }
        }
        return flags.stream();
    }

    /**
     * Returns the flags in a file. Flags are separated by blanks and line ends, and may be in quotes. They may also be a list of strings in
     * brackets. Text after # is a comment.
     */
    static AutoscalerFlags ofText(String file, String text, ImportRemarks remarks) {
        var words = text.lines()
                .map(line -> line.replaceFirst("(^|\\s)#.*", " ").replaceFirst("\\\\\\s*$", " "))
                // Only a comma after a quote separates flags; other commas belong to a value.
                .flatMap(line -> Stream.of(line.split("\\s+|(?<=[\"']),")))
                .map(word -> word.replaceAll("^[\\[\"']+|[\"',\\]]+$", ""))
                .filter(word -> !word.isEmpty() && !word.equals("-"))
                .toList();
        return parse(file, words, remarks);
    }

    private static AutoscalerFlags parse(String place, List<String> words, ImportRemarks remarks) {
        var nodes = new ArrayList<Group>();
        var discovery = new ArrayList<Discovery>();
        var settings = new TreeMap<String, String>();
        for (int i = 0; i < words.size(); i++) {
            var word = words.get(i);
            if (!word.startsWith("-")) {
                continue;
            }
            var pair = word.replaceFirst("^--?", "").split("=", 2);
            boolean valueFollows = pair.length == 1
                    && i + 1 < words.size()
                    && !words.get(i + 1).startsWith("-");
            var value = pair.length == 2 ? pair[1] : valueFollows ? words.get(++i) : "true";
            switch (pair[0]) {
                case "nodes" -> node(place, value, nodes, remarks);
                case "node-group-auto-discovery" -> discovery(place, value, discovery, remarks);
                default -> settings.put(pair[0], value);
            }
        }
        return new AutoscalerFlags(place, nodes, discovery, settings);
    }

    private static void node(String place, String value, List<Group> nodes, ImportRemarks remarks) {
        var parts = value.split(":", 3);
        try {
            if (parts.length < 3) {
                throw new NumberFormatException();
            }
            nodes.add(new Group(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), groupName(parts[2])));
        } catch (NumberFormatException e) {
            remarks.add(place + ": --nodes", value, "left out: expected MIN:MAX:NAME");
        }
    }

    /** Returns the name of a group. The text is this name, or a full resource identifier that ends in the name. */
    private static String groupName(String text) {
        return text.substring(text.lastIndexOf('/') + 1);
    }

    private static void discovery(String place, String value, List<Discovery> discovery, ImportRemarks remarks) {
        int equals = value.indexOf('=');
        boolean byTags = value.startsWith("asg:tag=");
        if (!byTags && !value.startsWith("label:")) {
            remarks.add(
                    place + ": --node-group-auto-discovery",
                    value,
                    "left out: expected asg:tag=KEY,... or label:KEY=VALUE,...");
            return;
        }
        var tags = new TreeMap<String, String>();
        for (var tag :
                value.substring(byTags ? equals + 1 : value.indexOf(':') + 1).split(",", 0)) {
            var pair = tag.split("=", 2);
            tags.put(pair[0], pair.length == 2 ? pair[1] : "");
        }
        discovery.add(new Discovery(value, tags));
    }
}
