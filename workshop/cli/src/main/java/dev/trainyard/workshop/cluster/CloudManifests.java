package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Durations;
import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.pool.Pool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A converter of the pools in the demo's manifests, from provider {@code kwok} to another cloud. Changes only {@code spec.provider}. The
 * emulated cloud and {@link InstanceNodes} then determine how machines behave.
 */
final class CloudManifests {

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> DIRECTORIES = List.of("examples", "demo");

    private CloudManifests() {}

    /**
     * Rewrites the manifests below {@code manifests} in place. Creates a group of machines for each rewritten pool.
     *
     * @return the settings with which machines become nodes, by the name of the machines' group
     */
    static Map<String, WebhookRegistration> rewrite(Path manifests, CloudGroups groups) {
        var registrations = new HashMap<String, WebhookRegistration>();
        for (var directory : DIRECTORIES) {
            try (var files = Files.newDirectoryStream(manifests.resolve(directory), "*.yaml")) {
                for (var file : files) {
                    rewrite(file, groups, registrations);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return Map.copyOf(registrations);
    }

    private static void rewrite(Path file, CloudGroups groups, Map<String, WebhookRegistration> registrations)
            throws IOException {
        List<JsonNode> documents;
        try (var values = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            documents = values.readAll();
        }
        boolean changed = false;
        for (var document : documents) {
            if (document.path("kind").asText().equals("TrainingPool")
                    && document.at("/spec/provider").get("kwok") instanceof ObjectNode kwok) {
                rewrite(document, kwok, groups, registrations);
                changed = true;
            }
        }
        if (changed) {
            var text = new StringBuilder();
            for (var document : documents) {
                text.append(YAML.writeValueAsString(document));
            }
            Files.writeString(file, text);
        }
    }

    private static void rewrite(
            JsonNode document, ObjectNode simulated, CloudGroups groups, Map<String, WebhookRegistration> registrations)
            throws JsonProcessingException {
        var kwok = JSON.treeToValue(simulated, Kwok.class);
        var pool = Pool.of(
                document.at("/metadata/name").asText(), JSON.treeToValue(document.get("spec"), TrainingPoolSpec.class));
        var group = groups.make(pool);
        if (kwok.capacity() != null) {
            groups.emulator().stock(group, kwok.capacity());
        }
        registrations.put(
                group,
                new WebhookRegistration(
                        pool,
                        Durations.parse(Optional.ofNullable(kwok.bootDelay()).orElse("5s")),
                        Optional.ofNullable(kwok.driverDelay())
                                .map(Durations::parse)
                                .orElse(Duration.ZERO)));
        var provider = (ObjectNode) document.at("/spec/provider");
        provider.removeAll();
        groups.describe(group, provider);
    }
}
