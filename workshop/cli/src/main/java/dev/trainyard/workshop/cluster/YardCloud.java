package dev.trainyard.workshop.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** An emulated cloud beside a yard's control plane, and the nodes of its machines. */
final class YardCloud implements AutoCloseable {

    private final CloudGroups groups;
    private final Path authority;
    private final InstanceNodes nodes;

    private YardCloud(CloudGroups groups, Path authority, InstanceNodes nodes) {
        this.groups = groups;
        this.authority = authority;
        this.nodes = nodes;
    }

    /**
     * Starts the cloud's API and makes its groups, as the pools below {@code manifests} describe them, which then name these groups.
     *
     * @param directory for its files
     * @return empty for kwok's, which needs nothing beside the scaler
     */
    static Optional<YardCloud> start(Cloud cloud, Path directory, Path manifests, KubernetesClient client) {
        return switch (cloud) {
            case KWOK -> Optional.empty();
            case AWS -> Optional.of(start(new AwsGroups(), directory, manifests, client));
            case AZURE -> Optional.of(start(new AzureSets(), directory, manifests, client));
        };
    }

    private static YardCloud start(CloudGroups groups, Path directory, Path manifests, KubernetesClient client) {
        try {
            var emulator = groups.emulator();
            var authority = Files.writeString(directory.resolve("cloud-ca.crt"), emulator.authorityPem());
            var registrations = CloudManifests.rewrite(manifests, groups);
            return new YardCloud(
                    groups, authority, new InstanceNodes(client, emulator, registrations, Clock.systemUTC()));
        } catch (IOException e) {
            groups.emulator().close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            groups.emulator().close();
            throw e;
        }
    }

    /** From now on machines become nodes. */
    void connect() {
        nodes.start();
    }

    /** For the scaler's process. */
    Map<String, String> environment() {
        return groups.emulator().environment(authority);
    }

    @Override
    public void close() {
        nodes.close();
        groups.emulator().close();
    }
}
