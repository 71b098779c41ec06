package dev.trainyard.local;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Factory methods for the objects of the tests in this module. */
record TestWorkloads(KubernetesClient client, Namespace namespace) {

    Node createNode(String name) {
        return createNode(name, Map.of());
    }

    Node createNode(String name, Map<String, String> annotations) {
        Map<String, Quantity> resources =
                Map.of("cpu", new Quantity("4"), "memory", new Quantity("16Gi"), "pods", new Quantity("110"));
        return client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToAnnotations("kwok.x-k8s.io/node", "fake")
                        .addToAnnotations(annotations)
                        .endMetadata()
                        .withNewStatus()
                        .withAllocatable(resources)
                        .withCapacity(resources)
                        .endStatus()
                        .build())
                .create();
    }

    Pod createPod(String name, String scheduler) {
        return createPod(name, scheduler, Map.of(), Map.of());
    }

    Pod createPod(String name, String scheduler, Map<String, String> annotations, Map<String, Quantity> limits) {
        return client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace.getMetadata().getName())
                        .withAnnotations(annotations)
                        .endMetadata()
                        .withNewSpec()
                        .withSchedulerName(scheduler)
                        .addNewContainer()
                        .withName("main")
                        .withImage("example.org/none")
                        .withNewResources()
                        .withLimits(limits)
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    Job createJob(String name, int completions) {
        return createJob(name, completions, Map.of(), "TerminatingOrFailed");
    }

    Job createJob(String name, int completions, Map<String, String> podAnnotations, String podReplacementPolicy) {
        return client.resource(new JobBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace.getMetadata().getName())
                        .endMetadata()
                        .withNewSpec()
                        .withCompletions(completions)
                        .withParallelism(completions)
                        .withPodReplacementPolicy(podReplacementPolicy)
                        .withNewTemplate()
                        .withNewMetadata()
                        .withAnnotations(podAnnotations)
                        .endMetadata()
                        .withNewSpec()
                        .withRestartPolicy("Never")
                        .addNewContainer()
                        .withName("main")
                        .withImage("example.org/none")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    List<Pod> podsOf(Job job) {
        return client.pods()
                .inNamespace(namespace.getMetadata().getName())
                .withLabel("batch.kubernetes.io/job-name", job.getMetadata().getName())
                .list()
                .getItems();
    }

    void allowToReadPods(String user) {
        client.resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName("reads-pods")
                        .withNamespace(namespace.getMetadata().getName())
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "view")
                        .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                        .build())
                .create();
    }

    <T extends HasMetadata> T await(T object, Predicate<T> condition) {
        return client.resource(object).waitUntilCondition(condition, 30, TimeUnit.SECONDS);
    }

    static boolean isReady(Node node) {
        return node.getStatus().getConditions().stream()
                .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
    }
}
