package dev.trainyard.core;

/** Names that Trainyard puts on, or reads from, Kubernetes objects. Documented in {@code docs/reference.md}. */
public final class Names {

    /** The API group of the custom resources. */
    public static final String GROUP = "trainyard.dev";

    /** The version of the custom resources. */
    public static final String VERSION = "v1alpha1";

    /** Annotation on a pod: the tier of the pod. The same annotation on a namespace: the tier of the namespace's pods that request GPUs. */
    public static final String TIER = "trainyard.dev/tier";

    /**
     * Annotation on a pod, a Job or a namespace: {@code "false"} keeps the webhook from changing the pod, the Job, or the namespace's pods
     * and Jobs.
     */
    public static final String INJECT = "trainyard.dev/inject";

    /** Label on a namespace: {@code "true"} sends all of its pods to the webhook, including pods that request no GPU and name no tier. */
    public static final String ALL_PODS = "trainyard.dev/all-pods";

    /** Annotation on a namespace with {@link #ALL_PODS}: the tier of the namespace's pods that request no GPU. */
    public static final String CPU_TIER = "trainyard.dev/cpu-tier";

    /** Annotation on a namespace: the names of the Secrets with which the namespace's pods pull images, separated by commas. */
    public static final String IMAGE_PULL_SECRETS = "trainyard.dev/image-pull-secrets";

    /**
     * Annotation that the webhook adds to a pod: what the webhook injected (such as the GPU driver), and what it skipped and why. On a Job:
     * what the webhook added to the Job.
     */
    public static final String INJECTED = "trainyard.dev/injected";

    /**
     * Annotation that the webhook adds to each pod that it changes: the pod's identifier in the logs of all components. See
     * {@link AdmissionTraceId}.
     */
    public static final String ADMISSION = "trainyard.dev/admission";

    /** Annotation on a pod: the least memory that each of its GPUs must have, such as {@code 16Gi}. */
    public static final String GPU_MEMORY = "trainyard.dev/gpu-memory";

    /** Annotation on a pod: the accepted GPU products, such as {@code V100|A100}. */
    public static final String GPU_PRODUCT = "trainyard.dev/gpu-product";

    /**
     * Annotation on a pod: the share of one GPU that the pod uses, in thousandths, {@code "1"} to {@code "999"}. The extender uses the
     * share only to score nodes; the annotation gives the pod no access to a GPU. The annotation is for clusters where a system other than
     * Trainyard lets pods share GPUs.
     */
    public static final String GPU_MILLI = "trainyard.dev/gpu-milli";

    /**
     * Annotation on a pod: the indexes of the GPUs that the pod uses on its node, such as {@code "0"} or {@code "2,3"}. The system that
     * shares GPUs writes the annotation. The extender uses the indexes to score nodes.
     */
    public static final String GPU_INDEX = "trainyard.dev/gpu-index";

    /** Annotation on a pod: the time at which the extender last asked the scheduler to try the pod again. */
    public static final String NUDGED = "trainyard.dev/nudged";

    /**
     * Annotation or label on a pod: {@code "true"} keeps the pod's machine from being removed while the pod runs. A duration such as
     * {@code "2h"} keeps the machine for that long after the pod's start. The same annotation or label on a node keeps the node's machine.
     */
    public static final String DO_NOT_DISRUPT = "trainyard.dev/do-not-disrupt";

    /**
     * Annotation or label on a pod: {@code "true"} if the training can resume after an interruption, so that the pod may be moved to save a
     * machine; {@code "false"} if not. The value overrides the setting of the tier.
     */
    public static final String RESUMABLE = "trainyard.dev/resumable";

    /**
     * Annotation or label on a pod: the name of the pod's gang, unique within the namespace. A gang is a group of pods. The scaler requests
     * machines for all pods of a gang or for none.
     */
    public static final String GANG = "trainyard.dev/gang";

    /** Annotation or label on a pod: the number of pods in the pod's gang, such as {@code "8"}. */
    public static final String GANG_SIZE = "trainyard.dev/gang-size";

    /**
     * Scheduling gate on a pod of a gang: the scheduler does not place the pod yet. The scaler removes the gates of all pods of a gang as
     * soon as there is room for all of them.
     */
    public static final String GANG_GATE = "trainyard.dev/gang";

    /** Label on a node: the pool that its machine belongs to. */
    public static final String POOL = "trainyard.dev/pool";

    /** Label on a node: {@code spot} or {@code on-demand}, the capacity type of its pool. */
    public static final String CAPACITY_TYPE = "trainyard.dev/capacity-type";

    /**
     * Annotation on a node whose machine the scaler removes: the reason for the removal, and its start time. No new pod is placed on a node
     * with this annotation, whatever the value. The scaler also adds a taint with this key to the node.
     */
    public static final String REMOVING = "trainyard.dev/removing";

    /**
     * Annotation on a node: the signs that announce that the node's machine will be gone and state no time, each with the time at which the
     * scaler first saw it, such as {@code taint example.com/going-away 2026-01-01T10:00:00Z}.
     */
    public static final String NOTICED_SINCE = "trainyard.dev/noticed-since";

    /** Annotation on a node: when AWS interrupts the node's spot instance. Like all {@code aws-} annotations, from a queue of AWS. */
    public static final String AWS_SPOT_INTERRUPTION = "trainyard.dev/aws-spot-interruption";

    /** Annotation on a node: AWS may interrupt the node's spot instance soon. */
    public static final String AWS_REBALANCE_RECOMMENDATION = "trainyard.dev/aws-rebalance-recommendation";

    /** Annotation on a node: when AWS stops, terminates or retires the node's instance. */
    public static final String AWS_SCHEDULED_END = "trainyard.dev/aws-scheduled-end";

    /** Annotation on a node: when AWS begins maintenance of the node's instance, such as a reboot. The instance stays. */
    public static final String AWS_SCHEDULED_MAINTENANCE = "trainyard.dev/aws-scheduled-maintenance";

    /** Annotation on a node: the state of the node's instance changed to one of an ending instance, or back. */
    public static final String AWS_INSTANCE_STATE = "trainyard.dev/aws-instance-state";

    /** Annotation on a node: the Auto Scaling group of the node's instance began to terminate the instance. */
    public static final String AWS_LIFECYCLE_ACTION = "trainyard.dev/aws-lifecycle-action";

    /** Annotation that the scaler adds to a pod: the time at which the pod's machine will be gone, such as {@code 2026-01-01T10:00:00Z}. */
    public static final String ENDS_AT = "trainyard.dev/ends-at";

    /**
     * Annotation that the scaler adds to a pod: the time since which the cloud has recommended to leave the pod's machine. The training
     * should save its state now. The pod is not evicted.
     */
    public static final String CHECKPOINT_SINCE = "trainyard.dev/checkpoint-since";

    /**
     * Annotation that the scaler adds to a running pod whose Job has lost pods to reclaims: the number of those pods. The status of the tier
     * has the numbers of the last Jobs.
     */
    public static final String RECLAIMED_TIMES = "trainyard.dev/reclaimed-times";

    /** Annotation on a pod: the time by which its training must be done, such as {@code 2026-01-02T08:00:00Z}. */
    public static final String DEADLINE = "trainyard.dev/deadline";

    /** Annotation on a pod with {@link #DEADLINE}: how long the training runs if nothing interrupts it, such as {@code 20h}. */
    public static final String WORK = "trainyard.dev/work";

    /**
     * Annotation on a pod with {@link #DEADLINE}: the time that an interruption costs, apart from the launch of a machine, such as
     * {@code 10m}. This is the work since the last checkpoint, and the time until the training has loaded the checkpoint.
     */
    public static final String RESTART_COST = "trainyard.dev/restart-cost";

    /**
     * Annotation that the scaler adds to a pod with {@link #DEADLINE} that replaces an interrupted pod: how much of the work is done, and since
     * when the training exists, such as {@code 5h30m, since 2026-01-01T08:00:00Z}.
     */
    public static final String PROGRESS = "trainyard.dev/progress";

    /** The {@code spec.schedulerName} of the kube-scheduler that calls the extender. */
    public static final String SCHEDULER = "trainyard-scheduler";

    /** The default namespace of Trainyard's own components. */
    public static final String NAMESPACE = "trainyard-system";

    private Names() {}
}
