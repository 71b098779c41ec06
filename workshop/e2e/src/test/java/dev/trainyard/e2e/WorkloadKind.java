package dev.trainyard.e2e;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The kinds of objects in which users define training. Each creates pods that request one GPU. */
enum WorkloadKind {
    JOB(1, """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: job}
            spec: {template: {metadata: {annotations: {trainyard.dev/simulated-duration: 10m}}, spec: {restartPolicy: Never, ${training}}}}
            """),
    DEPLOYMENT(1, """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: deployment}
            spec:
              selector: {matchLabels: {app: deployment}}
              template: {metadata: {labels: {app: deployment}}, spec: {${training}}}
            """),
    STATEFUL_SET(1, """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: statefulset}
            spec:
              serviceName: statefulset
              selector: {matchLabels: {app: statefulset}}
              template: {metadata: {labels: {app: statefulset}}, spec: {${training}}}
            """),
    POD(1, """
            apiVersion: v1
            kind: Pod
            metadata: {name: pod}
            spec: {${training}}
            """),
    /** A TFJob, whose parameter server has its own tier without GPUs: {@link #PARAMETER_SERVER}. */
    TF_JOB(3, """
            apiVersion: kubeflow.org/v1
            kind: TFJob
            metadata: {name: tfjob}
            spec:
              tfReplicaSpecs:
                PS:
                  replicas: 1
                  template: {metadata: {annotations: {trainyard.dev/tier: cpu}}, spec: {${container}}}
                Worker:
                  replicas: 2
                  template: {spec: {${training}}}
            """);

    static final String PARAMETER_SERVER = "tfjob-ps-0";

    private static final String CONTAINER = """
            containers: [{name: tensorflow, image: "tensorflow/tensorflow:latest-gpu"${resources}${containerSecurity}}]${podSecurity}""";
    private static final String ONE_GPU = ", resources: {limits: {nvidia.com/gpu: 1}}";

    private final int pods;
    private final String yaml;

    WorkloadKind(int pods, String yaml) {
        this.pods = pods;
        this.yaml = yaml;
    }

    /** Returns the total number of pods if one object of each kind is created. */
    static int podsOfAll() {
        return Arrays.stream(values()).mapToInt(workload -> workload.pods).sum();
    }

    /**
     * Returns one object of each kind, for a namespace of that Pod Security level. Only {@code restricted} has requirements for these pods.
     */
    static String oneOfEach(String level) {
        boolean restricted = level.equals("restricted");
        return Arrays.stream(values())
                .map(workload -> workload.yaml
                        .replace("${training}", CONTAINER.replace("${resources}", ONE_GPU))
                        .replace("${container}", CONTAINER.replace("${resources}", ""))
                        .replace(
                                "${containerSecurity}",
                                restricted
                                        ? ", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}"
                                        : "")
                        .replace(
                                "${podSecurity}",
                                restricted
                                        ? ", securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}"
                                        : ""))
                .collect(Collectors.joining("---\n"));
    }
}
