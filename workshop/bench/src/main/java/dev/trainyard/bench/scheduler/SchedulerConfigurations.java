package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.bench.process.BenchException;
import java.nio.file.Path;

/** The scheduler configuration of a Trainyard installation, adapted to a scheduler on loopback, with and without the extender. */
final class SchedulerConfigurations {

    private static final YAMLMapper YAML = new YAMLMapper();

    private final String installed;

    /** @param installed a {@code KubeSchedulerConfiguration} with one extender, in YAML */
    SchedulerConfigurations(String installed) {
        this.installed = installed;
        extender(parsed());
    }

    /** Whether the extender's answer has only one node, so that the scheduler asks for no scores. */
    boolean leavesOneNode() {
        return filterVerb().equals("choose");
    }

    /** Returns the verb with which the scheduler asks the extender for the nodes that a pod may use. */
    String filterVerb() {
        return extender(parsed()).path("filterVerb").asText();
    }

    /** @param tls a directory with {@code ca.crt}, {@code tls.crt} and {@code tls.key} of the scheduler */
    String with(ApiRate rate, int port, Path tls) {
        var configuration = common(rate);
        var extender = extender(configuration);
        extender.put("urlPrefix", "https://127.0.0.1:" + port);
        extender.putObject("tlsConfig")
                .put("caFile", tls.resolve("ca.crt").toString())
                .put("certFile", tls.resolve("tls.crt").toString())
                .put("keyFile", tls.resolve("tls.key").toString());
        return written(configuration);
    }

    String without(ApiRate rate) {
        var configuration = common(rate);
        configuration.remove("extenders");
        return written(configuration);
    }

    /** Returns the configuration before the extender is changed or removed. Only one scheduler runs at a time, so leader election is off. */
    private ObjectNode common(ApiRate rate) {
        var configuration = parsed();
        configuration.putObject("leaderElection").put("leaderElect", false);
        configuration.putObject("clientConnection").put("qps", rate.qps()).put("burst", rate.burst());
        return configuration;
    }

    private static ObjectNode extender(ObjectNode configuration) {
        if (configuration.path("extenders") instanceof ArrayNode extenders
                && extenders.size() == 1
                && extenders.get(0) instanceof ObjectNode extender) {
            return extender;
        }
        throw new BenchException("the scheduler's configuration: extenders is %s; expected a list of one"
                .formatted(configuration.path("extenders")));
    }

    private ObjectNode parsed() {
        try {
            return YAML.readValue(installed, ObjectNode.class);
        } catch (JsonProcessingException e) {
            throw new BenchException(
                    "the scheduler's configuration is not a YAML object: " + e.getOriginalMessage(), e);
        }
    }

    private static String written(ObjectNode configuration) {
        try {
            return YAML.writeValueAsString(configuration);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
