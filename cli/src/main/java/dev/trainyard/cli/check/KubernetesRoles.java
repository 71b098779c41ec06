package dev.trainyard.cli.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/**
 * What Kubernetes' own roles allow, which the manifests bind and do not have. Of each, what kube-scheduler cannot work without: rules that all of
 * the versions have that Trainyard runs with. Those of features that a cluster may lack (dynamic resources, candidates for Leases) are left
 * out, and so is what the scheduler would be allowed and never does.
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
     * @param role with its kind, such as {@code ClusterRole system:kube-scheduler}
     * @return none for one that the manifests do not bind
     */
    static JsonNode rules(String role) {
        try {
            return new YAMLMapper().readTree(RULES).path(role);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the rules of Kubernetes' own roles cannot be read", e);
        }
    }
}
