package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.bench.process.BenchException;
import java.nio.file.Path;

/**
 * The scheduler configurations of Trainyard installations, adapted to a scheduler on loopback: the one of the profile {@code extender},
 * with and without its extender, and the one of the profile {@code plugins}.
 */
final class SchedulerConfigurations {

    private static final YAMLMapper YAML = new YAMLMapper();

    private final String installed;
    private final String plugins;

    /**
     * @param installed a {@code KubeSchedulerConfiguration} with one extender, in YAML
     * @param plugins a {@code KubeSchedulerConfiguration} without an extender, in YAML
     */
    SchedulerConfigurations(String installed, String plugins) {
        this.installed = installed;
        this.plugins = plugins;
        extender(parsed(installed));
    }

    /** Whether the extender's answer has only one node, so that the scheduler asks for no scores. */
    boolean leavesOneNode() {
        return filterVerb().equals("choose");
    }

    /** Returns the verb with which the scheduler asks the extender for the nodes that a pod may use. */
    String filterVerb() {
        return extender(parsed(installed)).path("filterVerb").asText();
    }

    /** @param tls a directory with {@code ca.crt}, {@code tls.crt} and {@code tls.key} of the scheduler */
    String with(ApiRate rate, int port, Path tls) {
        var configuration = common(installed, rate);
        var extender = extender(configuration);
        extender.put("urlPrefix", "https://127.0.0.1:" + port);
        extender.putObject("tlsConfig")
                .put("caFile", tls.resolve("ca.crt").toString())
                .put("certFile", tls.resolve("tls.crt").toString())
                .put("keyFile", tls.resolve("tls.key").toString());
        return written(configuration);
    }

    String without(ApiRate rate) {
        var configuration = common(installed, rate);
        configuration.remove("extenders");
        return written(configuration);
    }

    String plugins(ApiRate rate) {
        return written(common(plugins, rate));
    }

    /** Returns the configuration before the extender is changed or removed. Only one scheduler runs at a time, so leader election is off. */
    private static ObjectNode common(String yaml, ApiRate rate) {
        var configuration = parsed(yaml);
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

    private static ObjectNode parsed(String yaml) {
        try {
            return YAML.readValue(yaml, ObjectNode.class);
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
