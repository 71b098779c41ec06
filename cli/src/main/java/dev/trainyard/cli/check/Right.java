package dev.trainyard.cli.check;

/**
 * One right that a part of Trainyard needs.
 *
 * @param file of the manifests that grants it
 * @param serviceAccount by its name
 * @param resource with its subresource, such as {@code pods/eviction}
 * @param namespace empty: in all
 * @param name empty: of all
 * @param bound the role of Kubernetes' own that has it, such as {@code ClusterRole system:kube-scheduler}; empty: one of the manifests has
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

    /** Such as {@code patch secrets trainyard-webhook-ca in trainyard-system}. */
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
