package dev.trainyard.cli.check;

import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.offline.Standing;
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
 * A cluster as it was at one moment.
 *
 * @param rights of Trainyard's ServiceAccounts
 * @param clouds those of the pools that were asked; empty when none was to be
 */
record Seen(
        Instant at,
        Setting setting,
        Configuration configuration,
        Scheduling scheduling,
        Admission admission,
        Installation installation,
        Confinement confinement,
        Part<List<Held>> rights,
        List<AskedCloud> clouds) {

    /**
     * What administrators wrote, and the machines that it is about.
     *
     * @param definitions those of Trainyard
     */
    record Configuration(
            Part<List<CustomResourceDefinition>> definitions,
            Part<List<TrainingPool>> pools,
            Part<List<TrainingTier>> tiers,
            Part<List<Node>> nodes,
            Part<List<Namespace>> namespaces) {}

    /**
     * Who places pods.
     *
     * @param lease of our scheduler
     * @param extender the Lease by which extenders say that they run
     * @param pods of our scheduler, those that have ended left out
     * @param events by which the extender says that it is not asked, or is not heard
     * @param file what kube-scheduler is told, as YAML; empty where no ConfigMap of ours tells
     * @param standing what {@code status} prints
     */
    record Scheduling(
            Part<Optional<Lease>> lease,
            Part<Optional<Lease>> extender,
            Part<List<Pod>> pods,
            Part<List<Event>> events,
            Part<Optional<SchedulerFile>> file,
            Part<Standing> standing) {}

    /** @param object the ConfigMap that it is in */
    record SchedulerFile(String object, String yaml) {}

    /**
     * Who completes pods.
     *
     * @param registration of the webhook
     * @param trials pods that were created for show
     * @param authorities the CAs in Secrets that the parts share
     * @param mounted the certificates in Secrets that parts mount
     * @param served the certificate that the webhook shows; empty where it cannot be called from here
     */
    record Admission(
            Part<Optional<MutatingWebhookConfiguration>> registration,
            List<Trial> trials,
            Part<List<Authority>> authorities,
            Part<List<MountedTls>> mounted,
            Part<Optional<Served>> served) {}

    /**
     * What runs.
     *
     * @param server the API server's version, such as {@code v1.36.3}
     * @param deployments of Trainyard
     * @param services of its namespace
     * @param slices of its namespace
     * @param named the ConfigMaps and Secrets that Deployments name
     * @param scaler the Lease of the scaler that acts
     */
    record Installation(
            Part<String> server,
            Part<List<Deployment>> deployments,
            Part<List<Service>> services,
            Part<List<EndpointSlice>> slices,
            Part<List<Named>> named,
            Part<Optional<Lease>> scaler) {}

    /** What keeps parts from using more of their rights than they need: those of Trainyard. */
    record Confinement(
            Part<List<ValidatingAdmissionPolicy>> policies, Part<List<ValidatingAdmissionPolicyBinding>> bindings) {}
}
