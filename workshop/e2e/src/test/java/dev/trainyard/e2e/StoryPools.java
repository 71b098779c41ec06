package dev.trainyard.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * Pools and tiers of one test, with data of the simulated cloud and the scaler's log. Closing ends the test's workloads and removes its
 * machines, pools and tiers, so that the machines get no pods of other tests, and no Events about such pods.
 */
record StoryPools(TestCluster testCluster, TrainingGround ground, List<String> pools, List<String> tiers)
        implements AutoCloseable {

    StoryPools(TestCluster testCluster, TrainingGround ground) {
        this(testCluster, ground, new ArrayList<>(), new ArrayList<>());
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Creates a pool whose machines boot in a second and are removed after two seconds of idleness.
     *
     * @param type {@code spot} or {@code on-demand}
     * @param allocatable the resources of a machine, in YAML, without braces
     * @param more further fields of the pool's spec, in YAML, without braces; may be empty
     */
    StoryPools pool(String name, String type, String kwok, String allocatable, String more) {
        pools.add(name);
        ground.kubectl("apply", "-f", ground.file("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {bootDelay: 1s, %s}}
                  capacityType: %s
                  promise: {labels: {story: %s}, allocatable: {%s}}
                  scaleDown: {idleAfter: 2s, drainGrace: 0s, utilizationBelow: "0.6"}
                  %s
                """.formatted(name, kwok, type, name, allocatable, more)));
        return this;
    }

    StoryPools tier(String name, String... pools) {
        return tier(name, "fallbackAfter: 2m", pools);
    }

    /** Creates a tier whose gangs start whole. */
    StoryPools tierOfWholeGangs(String name, String... pools) {
        return tier(name, "gangs: whole", pools);
    }

    private StoryPools tier(String name, String field, String[] pools) {
        tiers.add(name);
        ground.kubectl("apply", "-f", ground.file("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s], %s}
                """.formatted(name, String.join(", ", pools), field)));
        return this;
    }

    /** Returns the file of a Deployment with one-GPU pods. */
    String deployment(String name, String tier, int replicas) {
        return ground.file("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %s}
                spec:
                  replicas: %d
                  selector: {matchLabels: {app: %s}}
                  template:
                    metadata: {labels: {app: %s, story: serve}, annotations: {trainyard.dev/tier: %s}}
                    spec:
                      terminationGracePeriodSeconds: 1
                      containers: [{name: serve, image: serve, resources: {limits: {nvidia.com/gpu: 1}}}]
                """.formatted(name, replicas, name, name, tier));
    }

    /** Returns the stored state of a pool's simulated cloud; a {@link MissingNode} before the first request. */
    JsonNode cloud(String pool) {
        var map = testCluster
                .client()
                .configMaps()
                .inNamespace(Names.NAMESPACE)
                .withName("kwok-cloud-" + pool)
                .get();
        try {
            return map == null
                    ? MissingNode.getInstance()
                    : JSON.readTree(map.getData().get("cloud.json"));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the number of machines ever requested. */
    long ordered(String pool) {
        return cloud(pool).path("ordered").asLong();
    }

    /** Removes all machines of a pool and their nodes, as if a cloud reclaimed spot machines. */
    void vanish(String pool) {
        var client = testCluster.client();
        client.configMaps()
                .inNamespace(Names.NAMESPACE)
                .withName("kwok-cloud-" + pool)
                .edit(map -> {
                    try {
                        var cloud = (ObjectNode) JSON.readTree(map.getData().get("cloud.json"));
                        cloud.putArray("machines");
                        return new ConfigMapBuilder(map)
                                .addToData("cloud.json", JSON.writeValueAsString(cloud))
                                .build();
                    } catch (JsonProcessingException e) {
                        throw new AssertionError(e);
                    }
                });
        client.nodes().withLabel(Names.POOL, pool).delete();
    }

    /** Returns the lines of the scaler's log that report growth of the pool. */
    List<String> growths(String pool) {
        try (var lines = Files.lines(testCluster.log(InstalledComponent.SCALER))) {
            return lines.filter(line -> line.contains("New capacity requested for pool %s:".formatted(pool)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        ground.kubectl("delete", "jobs,deployments", "--all");
        pools.forEach(ground::awaitPoolEmpty);
        tiers.forEach(tier -> ground.kubectl("delete", "trainingtier", tier));
        pools.forEach(pool -> ground.kubectl("delete", "trainingpool", pool));
    }
}
