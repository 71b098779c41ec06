package dev.trainyard.cli.check;

import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.offline.ClusterStatus;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of a cluster.
 *
 * @param rights the rights of Trainyard's ServiceAccounts
 * @param clouds the answers of the pools' clouds; empty if the clouds are not checked
 * @param queues the answers of the queues of notices; empty if the clouds are not checked
 */
record ClusterSnapshot(
        Instant at,
        CheckedInstallation setting,
        Configuration configuration,
        Scheduling scheduling,
        Admission admission,
        Installation installation,
        Confinement confinement,
        ReadResult<List<RightAnswer>> rights,
        List<CloudAnswer> clouds,
        ReadResult<List<QueueAnswer>> queues) {

    /** Whether the scheduler is to call the extender. False only if Trainyard's scheduler is certainly installed without the extender. */
    boolean usesExtender() {
        return !ComponentDeployments.haveNoExtender(installation.deployments());
    }

    /**
     * The objects with which administrators configure Trainyard, and the nodes of the cluster.
     *
     * @param definitions the CustomResourceDefinitions of Trainyard
     */
    record Configuration(
            ReadResult<List<CustomResourceDefinition>> definitions,
            ReadResult<List<TrainingPool>> pools,
            ReadResult<List<TrainingTier>> tiers,
            ReadResult<List<Node>> nodes,
            ReadResult<List<Namespace>> namespaces) {}

    /**
     * The scheduler, the extender and their pods.
     *
     * @param lease the Lease of the scheduler that asks the extender
     * @param extender the Lease that running extenders renew
     * @param pods the pods of Trainyard's scheduler that have not ended
     * @param events the extender's Events about missing or late calls, and about failed reports to the scaler
     * @param file the configuration of kube-scheduler; empty if no ConfigMap of Trainyard has one
     * @param standing the status that {@code trainyard status} prints
     */
    record Scheduling(
            ReadResult<Optional<Lease>> lease,
            ReadResult<Optional<Lease>> extender,
            ReadResult<List<Pod>> pods,
            ReadResult<List<Event>> events,
            ReadResult<Optional<SchedulerFile>> file,
            ReadResult<ClusterStatus> standing) {}

    /** @param object the ConfigMap that contains the file */
    record SchedulerFile(String object, String yaml) {}

    /**
     * The webhook and its certificates.
     *
     * @param registration the webhook's registration with the API server
     * @param trials the trial pods, each with the reaction of the API server
     * @param authorities the CAs in Secrets that the components share
     * @param mounted the certificates in Secrets that components mount
     */
    record Admission(
            ReadResult<Optional<MutatingWebhookConfiguration>> registration,
            List<DryRunPod> trials,
            ReadResult<List<SharedCa>> authorities,
            ReadResult<List<MountedTls>> mounted) {}

    /**
     * The installed components.
     *
     * @param server the API server's version, such as {@code v1.36.3}
     * @param deployments the Deployments of Trainyard
     * @param services the Services in Trainyard's namespace
     * @param slices the EndpointSlices in Trainyard's namespace
     * @param named the ConfigMaps and Secrets that Deployments refer to
     * @param scaler the Lease of the active scaler
     */
    record Installation(
            ReadResult<String> server,
            ReadResult<List<Deployment>> deployments,
            ReadResult<List<Service>> services,
            ReadResult<List<EndpointSlice>> slices,
            ReadResult<List<RequiredObject>> named,
            ReadResult<Optional<Lease>> scaler) {}

    /** Trainyard's policies that restrict components to the rights they need. */
    record Confinement(
            ReadResult<List<ValidatingAdmissionPolicy>> policies,
            ReadResult<List<ValidatingAdmissionPolicyBinding>> bindings) {}
}
