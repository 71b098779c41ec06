package dev.trainyard.webhook.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.webhook.volume.Mount;
import java.util.stream.StreamSupport;

/**
 * The file {@code /etc/trainyard/annotations}, which holds the annotations of the pod. The kubelet updates the file when the annotations
 * change. It does not update a mount with a {@code subPath}, so the whole directory is mounted.
 */
public record AnnotationsFile() implements Mount {

    /** The directory that is mounted. */
    public static final String DIRECTORY = "/etc/trainyard";

    private static final String FILE = "annotations";
    private static final String FIELD = "metadata.annotations";

    /** The API server's default for {@code defaultMode}: readable for everybody. */
    private static final int MODE = 0644;

    @Override
    public String volume() {
        return FILE;
    }

    @Override
    public String mountPath() {
        return DIRECTORY;
    }

    @Override
    public String content() {
        return DIRECTORY + "/" + FILE;
    }

    /** Returns the members with the defaults of the API server, so that the volume looks the same when the pod is sent again. */
    @Override
    public ObjectNode source() {
        var source = JsonNodeFactory.instance.objectNode();
        var item = source.putObject("downwardAPI")
                .put("defaultMode", MODE)
                .putArray("items")
                .addObject()
                .put("path", FILE);
        item.putObject("fieldRef").put("apiVersion", "v1").put("fieldPath", FIELD);
        return source;
    }

    @Override
    public boolean isIn(JsonNode volume, String directory) {
        return directory.isEmpty()
                && StreamSupport.stream(volume.path("downwardAPI").path("items").spliterator(), false)
                        .anyMatch(item -> item.path("path").asText().equals(FILE)
                                && item.path("fieldRef")
                                        .path("fieldPath")
                                        .asText()
                                        .equals(FIELD));
    }
}
