package dev.trainyard.runtime.namespace;

import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import io.fabric8.kubernetes.api.model.Namespace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The Namespace objects of resource files, for running without a cluster. A missing namespace counts as a namespace without annotations and
 * labels.
 */
public final class FileNamespaces implements NamespaceSource {

    private final Map<String, NamespaceFacts> namespaces;

    private FileNamespaces(Map<String, NamespaceFacts> namespaces) {
        this.namespaces = namespaces;
    }

    /**
     * Reads the Namespaces of files.
     *
     * @throws dev.trainyard.runtime.configuration.ResourceFileException if a Namespace cannot be read
     */
    public static FileNamespaces of(ResourceFiles files) {
        return of(files.ofKind(Namespace.class));
    }

    /**
     * Reads the Namespaces of files and reports those that cannot be read.
     *
     * @param broken receives each Namespace that cannot be read, and its problem
     */
    public static FileNamespaces of(ResourceFiles files, BiConsumer<Document, String> broken) {
        return of(files.ofKind(Namespace.class, broken));
    }

    private static FileNamespaces of(List<Namespace> found) {
        var namespaces = new HashMap<String, NamespaceFacts>();
        for (var namespace : found) {
            namespaces.put(namespace.getMetadata().getName(), factsOf(namespace));
        }
        return new FileNamespaces(Map.copyOf(namespaces));
    }

    /** Returns the annotations and labels of a namespace. */
    public static NamespaceFacts factsOf(Namespace namespace) {
        var metadata = namespace.getMetadata();
        return new NamespaceFacts(
                Optional.ofNullable(metadata.getAnnotations()).orElse(Map.of()),
                Optional.ofNullable(metadata.getLabels()).orElse(Map.of()));
    }

    @Override
    public Optional<NamespaceFacts> facts(String namespace) {
        return Optional.of(namespaces.getOrDefault(namespace, NamespaceFacts.NONE));
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    @Override
    public void close() {}
}
