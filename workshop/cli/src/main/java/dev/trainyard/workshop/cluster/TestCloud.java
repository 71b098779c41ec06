package dev.trainyard.workshop.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** An emulated cloud for a {@link TestCluster}, with the nodes of its machines. */
final class TestCloud implements AutoCloseable {

    private final CloudGroups groups;
    private final Path authority;
    private final InstanceNodes nodes;

    private TestCloud(CloudGroups groups, Path authority, InstanceNodes nodes) {
        this.groups = groups;
        this.authority = authority;
        this.nodes = nodes;
    }

    /**
     * Starts the cloud's API, creates groups for the pools below {@code manifests}, and rewrites these pools to name the groups.
     *
     * @param directory the directory for the cloud's files
     * @return the cloud; empty for kwok, because the scaler itself simulates that cloud
     */
    static Optional<TestCloud> start(ChosenCloud cloud, Path directory, Path manifests, KubernetesClient client) {
        return switch (cloud) {
            case KWOK -> Optional.empty();
            case AWS -> Optional.of(start(new EmulatedGroups(), directory, manifests, client));
            case AZURE -> Optional.of(start(new EmulatedSets(), directory, manifests, client));
        };
    }

    private static TestCloud start(CloudGroups groups, Path directory, Path manifests, KubernetesClient client) {
        try {
            var emulator = groups.emulator();
            var authority = Files.writeString(directory.resolve("cloud-ca.crt"), emulator.authorityPem());
            var registrations = CloudManifests.rewrite(manifests, groups);
            return new TestCloud(
                    groups, authority, new InstanceNodes(client, emulator, registrations, Clock.systemUTC()));
        } catch (IOException e) {
            groups.emulator().close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            groups.emulator().close();
            throw e;
        }
    }

    /** Starts to create nodes for machines. */
    void connect() {
        nodes.start();
    }

    /** Returns the environment variables that make the scaler's process use this cloud. */
    Map<String, String> environment() {
        return groups.emulator().environment(authority);
    }

    /** Returns the cluster's settings. See {@link CloudGroups#settings}. */
    Optional<String> settings() {
        return groups.settings();
    }

    /** Announces a reclaim. See {@link CloudGroups#announceReclaim}. */
    Optional<String> announceReclaim(String node) {
        return groups.announceReclaim(node);
    }

    @Override
    public void close() {
        nodes.close();
        groups.emulator().close();
    }
}
