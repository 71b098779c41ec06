package dev.trainyard.image;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The bill of materials (CycloneDX) of the image: Maven's bill of the executable, plus the components that the image adds. */
final class Sbom {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectNode bill;

    private Sbom(ObjectNode bill) {
        this.bill = bill;
    }

    /** @throws ImageException if {@code file} is missing */
    static Sbom read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new ImageException(
                    "%s is missing. This file lists the parts of the executable. Build it: mvn -DskipTests -pl image -am package"
                            .formatted(file));
        }
        try {
            return new Sbom((ObjectNode) JSON.readTree(file.toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void addRuntime(Jdk jdk) {
        add(
                "platform",
                "OpenJDK runtime",
                jdk.version(),
                jdk.implementor(),
                "GPL-2.0-only WITH Classpath-exception-2.0");
    }

    void addCLibrary(String version) {
        add("library", "glibc", version, "GNU", "LGPL-2.1-or-later");
    }

    void write(Path file) {
        try {
            JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), bill);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(String type, String name, String version, String publisher, String licence) {
        ArrayNode components = bill.withArrayProperty("components");
        var component = components.addObject();
        component
                .put("type", type)
                .put("bom-ref", name.replace(' ', '-') + "@" + version)
                .put("publisher", publisher)
                .put("name", name)
                .put("version", version);
        component.putArray("licenses").addObject().put("expression", licence);
    }
}
