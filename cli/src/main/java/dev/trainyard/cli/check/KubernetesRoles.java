package dev.trainyard.cli.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/**
 * The rules of Kubernetes' own roles that the manifests bind but do not contain. Lists only the rules that kube-scheduler needs. All
 * supported Kubernetes versions have these rules. Leaves out rules of optional features (dynamic resources, candidates for Leases) and rules
 * that the scheduler never uses.
 */
final class KubernetesRoles {

    private static final String RULES = """
            ClusterRole system:kube-scheduler:
              - {verbs: [create], apiGroups: [""], resources: [pods/binding]}
              - {verbs: [patch], apiGroups: [""], resources: [pods/status]}
              - {verbs: [delete], apiGroups: [""], resources: [pods]}
              - {verbs: [list, watch], apiGroups: [""], resources: [nodes, pods, namespaces, services, replicationcontrollers]}
              - {verbs: [list, watch], apiGroups: [""], resources: [persistentvolumes, persistentvolumeclaims]}
              - {verbs: [list, watch], apiGroups: [apps], resources: [replicasets, statefulsets]}
              - {verbs: [list, watch], apiGroups: [policy], resources: [poddisruptionbudgets]}
              - {verbs: [list, watch], apiGroups: [storage.k8s.io], resources: [csinodes, csidrivers, csistoragecapacities]}
              - {verbs: [create], apiGroups: [coordination.k8s.io], resources: [leases]}
              - {verbs: [create, patch], apiGroups: [events.k8s.io], resources: [events]}
              - {verbs: [create], apiGroups: [authentication.k8s.io], resources: [tokenreviews]}
              - {verbs: [create], apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews]}
            ClusterRole system:volume-scheduler:
              - {verbs: [update, patch], apiGroups: [""], resources: [persistentvolumes, persistentvolumeclaims]}
              - {verbs: [list, watch], apiGroups: [storage.k8s.io], resources: [storageclasses]}
            Role extension-apiserver-authentication-reader:
              - verbs: [get, list, watch]
                apiGroups: [""]
                resources: [configmaps]
                resourceNames: [extension-apiserver-authentication]
            """;

    private KubernetesRoles() {}

    /**
     * Returns the rules of a role of Kubernetes itself.
     *
     * @param role the kind and name of the role, such as {@code ClusterRole system:kube-scheduler}
     * @return the rules; empty if the manifests do not bind the role
     */
    static JsonNode rules(String role) {
        try {
            return new YAMLMapper().readTree(RULES).path(role);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the rules of Kubernetes' own roles cannot be read", e);
        }
    }
}
