package dev.trainyard.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import dev.trainyard.runtime.kubernetes.ConnectionFailures;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The pools, tiers and namespaces of a cluster, in the form of resource files. Never changes the cluster. */
final class ClusterResources implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;

    private ClusterResources(KubernetesClient client) {
        this.client = client;
    }

    static ClusterResources open(@Nullable Path kubeconfig) {
        return new ClusterResources(KubernetesClients.open(kubeconfig));
    }

    /** Returns the namespace of the kubeconfig's context; {@code default} if it names none. */
    String namespace() {
        return Optional.ofNullable(client.getNamespace()).orElse("default");
    }

    /**
     * @param namespaces the namespaces to read one by one, because a user may lack the right to list all
     * @param complaints receives a message for each namespace that is missing or that the user may not read; the result lacks these
     *     namespaces
     */
    ResourceFiles read(Set<String> namespaces, Consumer<String> complaints) {
        try {
            var documents = new ArrayList<Document>();
            Stream.of(TrainingPool.class, TrainingTier.class)
                    .flatMap(type -> client.resources(type).list().getItems().stream())
                    .filter(object -> object.getMetadata().getDeletionTimestamp() == null)
                    .forEach(object -> documents.add(document(object)));
            namespaces.stream()
                    .sorted()
                    .flatMap(name -> namespace(name, complaints).stream())
                    .forEach(documents::add);
            return new ResourceFiles(List.copyOf(documents));
        } catch (KubernetesClientException e) {
            throw new IllegalArgumentException(
                    "pools and tiers cannot be read from the cluster at %s: %s; name another cluster with --kubeconfig, or files with --resources"
                            .formatted(client.getMasterUrl(), reason(e)),
                    e);
        }
    }

    private Optional<Document> namespace(String name, Consumer<String> complaints) {
        try {
            var namespace = client.namespaces().withName(name).get();
            if (namespace != null) {
                return Optional.of(document(namespace));
            }
            complaints.accept("namespace %s does not exist; assuming a namespace without annotations".formatted(name));
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
                throw e;
            }
            complaints.accept(
                    "no right to read namespace %s; assuming a namespace without annotations".formatted(name));
        }
        return Optional.empty();
    }

    private static String reason(KubernetesClientException problem) {
        if (problem.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
            return "the cluster has no CustomResourceDefinition of TrainingPool; install Trainyard";
        }
        return ConnectionFailures.reason(problem);
    }

    private static Document document(HasMetadata object) {
        return new Document("the cluster", JSON.valueToTree(object));
    }

    @Override
    public void close() {
        client.close();
    }
}
