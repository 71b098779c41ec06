package dev.trainyard.cli.check;

/**
 * A right that a component of Trainyard needs.
 *
 * @param file the manifest that grants the right
 * @param serviceAccount the name of the ServiceAccount
 * @param resource the resource with its subresource, such as {@code pods/eviction}
 * @param namespace empty for all namespaces
 * @param name empty for all objects
 * @param bound Kubernetes' own role with the right, such as {@code ClusterRole system:kube-scheduler}; empty for a role of the manifests
 */
record Right(
        String file,
        String serviceAccount,
        String verb,
        String group,
        String resource,
        String namespace,
        String name,
        String bound) {

    /** Returns a text such as {@code patch secrets trainyard-webhook-ca in trainyard-system}. */
    String words() {
        return "%s %s%s%s%s"
                .formatted(
                        verb,
                        resource,
                        group.isEmpty() ? "" : "." + group,
                        name.isEmpty() ? "" : " " + name,
                        namespace.isEmpty() ? "" : " in " + namespace);
    }
}
