package dev.trainyard.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** An image in a file, in the format of {@code docker load}. */
record ImageTar(JsonNode config, List<Layer> layers) {

    /** @param compressed the compressed size in bytes */
    record Layer(String digest, String name, long compressed, byte[] bytes, List<TarArchiveEntry> entries) {}

    private static final ObjectMapper JSON = new ObjectMapper();

    static ImageTar read(Path file) throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        try (var tar = new TarArchiveInputStream(Files.newInputStream(file))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                files.put(entry.getName(), tar.readAllBytes());
            }
        }
        var manifest = JSON.readTree(files.get("manifest.json")).get(0);
        var config = JSON.readTree(files.get(manifest.get("Config").asText()));
        var layers = new ArrayList<Layer>();
        for (int i = 0; i < manifest.get("Layers").size(); i++) {
            var bytes = files.get(manifest.get("Layers").get(i).asText());
            var entries = new ArrayList<TarArchiveEntry>();
            try (var tar = tar(bytes)) {
                for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    entries.add(entry);
                }
            }
            layers.add(new Layer(
                    config.get("rootfs").get("diff_ids").get(i).asText(),
                    config.get("history").get(i).get("comment").asText(),
                    bytes.length,
                    bytes,
                    entries));
        }
        return new ImageTar(config, layers);
    }

    /** Unpacks the layers in order as a container engine does, with the times of their entries. */
    void unpack(Path root) throws IOException {
        for (var layer : layers) {
            try (var tar = tar(layer.bytes)) {
                for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    var target = root.resolve(entry.getName());
                    if (entry.isDirectory()) {
                        Files.createDirectories(target);
                    } else {
                        Files.createDirectories(target.getParent());
                        Files.copy(tar, target);
                        target.toFile().setExecutable((entry.getMode() & 0100) != 0, false);
                    }
                    Files.setLastModifiedTime(target, entry.getLastModifiedTime());
                }
            }
        }
    }

    List<String> names() {
        return layers.stream().map(Layer::name).toList();
    }

    List<String> digests() {
        return layers.stream().map(Layer::digest).toList();
    }

    private static TarArchiveInputStream tar(byte[] bytes) throws IOException {
        return new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(bytes)));
    }
}
