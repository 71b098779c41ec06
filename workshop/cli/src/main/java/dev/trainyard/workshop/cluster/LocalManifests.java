package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** The changes to two manifests for a local test cluster, whose components are processes on loopback instead of pods behind a Service. */
final class LocalManifests {

    private static final YAMLMapper YAML = new YAMLMapper();

    private LocalManifests() {}

    /**
     * Returns a kustomization of {@code manifests/overlays/local} with the webhook at {@code url}. The kustomization must be in a directory
     * beside {@code manifests}.
     */
    static String kustomization(String url) {
        return """
                apiVersion: kustomize.config.k8s.io/v1beta1
                kind: Kustomization
                resources: [../manifests/overlays/local]
                patches:
                  - target: {kind: MutatingWebhookConfiguration, name: trainyard}
                    patch: |-
                      - {op: replace, path: /webhooks/0/clientConfig/url, value: "%1$s/mutate"}
                      - {op: replace, path: /webhooks/1/clientConfig/url, value: "%1$s/mutate"}
                      - {op: replace, path: /webhooks/2/clientConfig/url, value: "%1$s/mutate"}
                      - {op: replace, path: /webhooks/3/clientConfig/url, value: "%1$s/mutate"}
                """.formatted(url);
    }

    /** Returns the scheduler's configuration, with the extender at {@code url} and client certificates from {@code tlsDirectory}. */
    static String schedulerConfiguration(Path manifests, String url, Path tlsDirectory) {
        var configuration = read(manifests.resolve("base/extender/scheduler-config.yaml"));
        for (var extender : configuration.withArray("extenders")) {
            var object = (ObjectNode) extender;
            object.put("urlPrefix", url);
            var tls = object.putObject("tlsConfig");
            tls.put("caFile", tlsDirectory.resolve("ca.crt").toString());
            tls.put("certFile", tlsDirectory.resolve("tls.crt").toString());
            tls.put("keyFile", tlsDirectory.resolve("tls.key").toString());
        }
        configuration.putObject("leaderElection").put("leaderElect", false);
        return write(configuration);
    }

    private static ObjectNode read(Path file) {
        try {
            return (ObjectNode) YAML.readTree(file.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String write(JsonNode tree) {
        try {
            return YAML.writeValueAsString(tree);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
