package dev.trainyard.webhook.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;

/** A volume that containers see read-only at one path. */
public interface Mount {

    /** Returns the preferred name of the volume. */
    String volume();

    /** Returns the path in the container, in its canonical form. */
    String mountPath();

    /** Returns what the volume provides, for messages: a path of the node, or of the container. */
    String content();

    /** Returns the members of the volume, without its name. */
    ObjectNode source();

    /**
     * Whether {@code directory} of a volume of the pod is the content of this mount.
     *
     * @param directory a path in the volume: empty for the volume itself, otherwise starting with a slash
     */
    boolean isIn(JsonNode volume, String directory);

    /** Returns an infinite stream of names for the volume, the preferred name first. */
    default Stream<String> volumeNames() {
        var ours = "trainyard-" + volume();
        return Stream.concat(
                Stream.of(volume(), ours),
                Stream.iterate(2, number -> number + 1).map(number -> ours + "-" + number));
    }
}
