package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gang.GangObject;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.core.gang.GangObjects.Found;
import dev.trainyard.core.gang.GangObjects.NotYet;
import dev.trainyard.core.gang.GangObjects.Unreadable;
import dev.trainyard.local.Definitions;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.scaler.cluster.KubernetesGangObjects;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The scaler reads objects that describe gangs with the rights of {@code manifests/components/gang-owners}, which allow nothing else. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class GangOwnersIT {

    /** Another name than that of the component's objects, which a shared installation may have. */
    private static final String OWN_NAME = "gang-owners-it";

    private static final String DEFINITION = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: jobsets.jobset.x-k8s.io}
            spec:
              group: jobset.x-k8s.io
              scope: Namespaced
              names: {kind: JobSet, plural: jobsets, singular: jobset}
              versions:
                - name: v1alpha2
                  served: true
                  storage: true
                  schema:
                    openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
            """;
    private static final String JOB_SET = """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: train}
            spec:
              replicatedJobs:
                - name: workers
                  replicas: 3
                  template: {spec: {parallelism: 2, template: {spec: {containers: [{name: main, image: main}]}}}}
            """;
    private static final String JOB = """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: plain}
            spec:
              suspend: true
              parallelism: 4
              template: {spec: {restartPolicy: Never, containers: [{name: main, image: main}]}}
            """;

    private final List<HasMetadata> made = new ArrayList<>();
    private final AtomicLong time = new AtomicLong();
    private String namespace;

    @BeforeEach
    void install(KubernetesClient client, Namespace own) {
        namespace = own.getMetadata().getName();
        apply(client, DEFINITION);
        Definitions.awaitEstablished(client, "jobsets.jobset.x-k8s.io");
        apply(client, JOB_SET);
        apply(client, JOB);
        apply(client, """
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: %s}
                """.formatted(OWN_NAME));
    }

    @AfterEach
    void remove(KubernetesClient client) {
        for (int i = made.size() - 1; i >= 0; i--) {
            client.resource(made.get(i)).delete();
        }
    }

    @Test
    void readsObjectsOnceTheComponentIsApplied(KubernetesClient client) throws IOException {
        var jobSet = new GangObject("jobset.x-k8s.io", "JobSet", namespace, "train", Optional.empty());
        var job = new GangObject("batch", "Job", namespace, "plain", Optional.empty());
        try (var scaler = Identity.withTokenOf(client, namespace, OWN_NAME);
                var objects = new KubernetesGangObjects(scaler.client(), () -> {}, time::get)) {
            var refused = TrainingGround.await("an answer without the component", () -> read(objects, jobSet));
            assertThat(refused)
                    .isEqualTo(new Unreadable(
                            "JobSet %1$s/train cannot be read: the API server answered 403 to GET /apis/jobset.x-k8s.io/v1alpha2/namespaces/%1$s/jobsets; apply manifests/components/gang-owners, or set gangOwners=true of the chart"
                                    .formatted(namespace)));

            applyComponent(client);

            assertThat(awaitFound(objects, jobSet).object().at("/spec/replicatedJobs/0/replicas"))
                    .hasToString("3");
            assertThat(awaitFound(objects, job).object().at("/spec/parallelism"))
                    .hasToString("4");
            assertThat(scaler.call("GET", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/%s/jobsets".formatted(namespace))
                            .isForbidden())
                    .as("listing is forbidden")
                    .isTrue();
            assertThat(scaler.call("GET", "/api/v1/namespaces/%s/pods/any".formatted(namespace))
                            .isForbidden())
                    .as("other kinds are forbidden")
                    .isTrue();
        }
    }

    /** Applies the component with other names, for this test's ServiceAccount instead of the scaler's. */
    private void applyComponent(KubernetesClient client) throws IOException {
        var component = RegisteredWebhook.MANIFESTS.resolve("components/gang-owners/rbac.yaml");
        for (var object : RegisteredWebhook.objects(client, component)) {
            object.getMetadata().setName(OWN_NAME);
            if (object instanceof ClusterRoleBinding binding) {
                binding.getRoleRef().setName(OWN_NAME);
                binding.getSubjects().forEach(subject -> {
                    subject.setName(OWN_NAME);
                    subject.setNamespace(namespace);
                });
            }
            made.add(client.resource(object).serverSideApply());
        }
    }

    private void apply(KubernetesClient client, String yaml) {
        var object = client.getKubernetesSerialization().<HasMetadata>unmarshal(yaml);
        if (!object.getKind().equals("CustomResourceDefinition")) {
            object.getMetadata().setNamespace(namespace);
        }
        made.add(client.resource(object).serverSideApply());
    }

    /** Reads an object, with a minute between two attempts, so that the pause after a failure is over. */
    private Optional<GangObjects.Reading> read(GangObjects objects, GangObject object) {
        time.addAndGet(Duration.ofMinutes(1).toNanos());
        return Optional.of(objects.find(object)).filter(reading -> !(reading instanceof NotYet));
    }

    private Found awaitFound(GangObjects objects, GangObject object) {
        return TrainingGround.await(
                object + " is read",
                () -> read(objects, object).filter(Found.class::isInstance).map(Found.class::cast));
    }
}
