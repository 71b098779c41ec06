package dev.trainyard.e2e;

import dev.trainyard.local.Definitions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A fake operator of TFJobs. It installs the CustomResourceDefinition, and creates the pods of every TFJob with the real operator's names,
 * labels and owners. It ignores the pods after their creation.
 */
final class TfJobOperator implements AutoCloseable {

    private static final String GROUP = "kubeflow.org";
    private static final String LABELS = "training." + GROUP + "/";
    private static final ResourceDefinitionContext TF_JOBS = new ResourceDefinitionContext.Builder()
            .withGroup(GROUP)
            .withVersion("v1")
            .withKind("TFJob")
            .withPlural("tfjobs")
            .withNamespaced(true)
            .build();
    private static final String DEFINITION = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: tfjobs.kubeflow.org}
            spec:
              group: kubeflow.org
              names: {kind: TFJob, plural: tfjobs, singular: tfjob}
              scope: Namespaced
              versions:
                - name: v1
                  served: true
                  storage: true
                  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            """;

    private final KubernetesClient client;
    private final CustomResourceDefinition definition;
    private final SharedIndexInformer<GenericKubernetesResource> informer;
    private final List<String> refusals = new CopyOnWriteArrayList<>();

    private TfJobOperator(KubernetesClient client, CustomResourceDefinition definition) {
        this.client = client;
        this.definition = definition;
        this.informer = client.genericKubernetesResources(TF_JOBS)
                .inAnyNamespace()
                .inform(new ResourceEventHandler<>() {
                    @Override
                    public void onAdd(GenericKubernetesResource job) {
                        createPods(job);
                    }

                    @Override
                    public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource now) {}

                    @Override
                    public void onDelete(GenericKubernetesResource job, boolean stateUnknown) {}
                });
    }

    static TfJobOperator start(KubernetesClient client) {
        var definition = client.getKubernetesSerialization().unmarshal(DEFINITION, CustomResourceDefinition.class);
        client.resource(definition).serverSideApply();
        Definitions.awaitEstablished(client, definition.getMetadata().getName());
        return new TfJobOperator(client, definition);
    }

    /** Returns the API server's messages for refused pods. */
    List<String> refusals() {
        return List.copyOf(refusals);
    }

    private void createPods(GenericKubernetesResource job) {
        Map<String, Map<String, Object>> replicaSpecs = job.get("spec", "tfReplicaSpecs");
        replicaSpecs.forEach((type, spec) -> {
            var template =
                    client.getKubernetesSerialization().convertValue(spec.get("template"), PodTemplateSpec.class);
            for (int index = 0; index < (Integer) spec.get("replicas"); index++) {
                try {
                    client.resource(pod(job, type.toLowerCase(Locale.ROOT), index, template))
                            .create();
                } catch (KubernetesClientException e) {
                    refusals.add(e.getMessage());
                }
            }
        });
    }

    private static Pod pod(GenericKubernetesResource job, String type, int index, PodTemplateSpec template) {
        var name = job.getMetadata().getName();
        return new PodBuilder()
                .withMetadata(template.getMetadata())
                .editOrNewMetadata()
                .withName("%s-%s-%d".formatted(name, type, index))
                .withNamespace(job.getMetadata().getNamespace())
                .addToLabels(LABELS + "operator-name", "tfjob-controller")
                .addToLabels(LABELS + "job-name", name)
                .addToLabels(LABELS + "replica-type", type)
                .addToLabels(LABELS + "replica-index", Integer.toString(index))
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion(job.getApiVersion())
                        .withKind(job.getKind())
                        .withName(name)
                        .withUid(job.getMetadata().getUid())
                        .withController(true)
                        .withBlockOwnerDeletion(true)
                        .build())
                .endMetadata()
                .withSpec(template.getSpec())
                .editSpec()
                .withRestartPolicy("Never")
                .endSpec()
                .build();
    }

    @Override
    public void close() {
        informer.close();
        client.resource(definition).delete();
    }
}
