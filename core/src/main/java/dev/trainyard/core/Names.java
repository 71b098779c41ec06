package dev.trainyard.core;

/** Names that Trainyard puts on, or reads from, Kubernetes objects. Documented in {@code docs/reference.md}. */
public final class Names {

    /** The API group of the custom resources. */
    public static final String GROUP = "trainyard.dev";

    /** The version of the custom resources. */
    public static final String VERSION = "v1alpha1";

    /** Annotation on a pod or a namespace: the tier that its pods belong to. */
    public static final String TIER = "trainyard.dev/tier";

    /** Annotation on a pod or a namespace: {@code "false"} keeps the webhook from changing the pod. */
    public static final String INJECT = "trainyard.dev/inject";

    /** Label on a namespace: {@code "true"} sends all of its pods to the webhook, including pods that request no GPU and name no tier. */
    public static final String ALL_PODS = "trainyard.dev/all-pods";

    /** Annotation on a namespace with {@link #ALL_PODS}: the tier of its pods that request no GPU. */
    public static final String CPU_TIER = "trainyard.dev/cpu-tier";

    /** Annotation on a namespace: the names of the Secrets that its pods pull images with, separated by commas. */
    public static final String IMAGE_PULL_SECRETS = "trainyard.dev/image-pull-secrets";

    /** Annotation that the webhook adds to a pod: the parts that it injected, and the parts that it skipped with the reason. */
    public static final String INJECTED = "trainyard.dev/injected";

    /** Annotation that the webhook adds to a pod that it completes: the identifier of the pod in the logs of all components. See {@link AdmissionTraceId}. */
    public static final String ADMISSION = "trainyard.dev/admission";

    /** Annotation on a pod: the least memory that each of its GPUs must have, such as {@code 16Gi}. */
    public static final String GPU_MEMORY = "trainyard.dev/gpu-memory";

    /** Annotation on a pod: the accepted GPU products, such as {@code V100|A100}. */
    public static final String GPU_PRODUCT = "trainyard.dev/gpu-product";

    /**
     * Annotation on a pod: the thousandths of one GPU that it takes, {@code "1"} to {@code "999"}. It is for clusters in which another system than
     * Trainyard lets pods share GPUs. Nodes are scored by it; it grants nothing.
     */
    public static final String GPU_MILLI = "trainyard.dev/gpu-milli";

    /** Annotation on a pod: the indexes of the node's GPUs that the pod was given, such as {@code "0"} or {@code "2,3"}. Nodes are scored by it. */
    public static final String GPU_INDEX = "trainyard.dev/gpu-index";

    /** Annotation on a pod: the time at which the extender last asked the scheduler to try the pod again. */
    public static final String NUDGED = "trainyard.dev/nudged";

    /** Annotation on a pod: its machine is not removed while the pod runs. */
    public static final String DO_NOT_DISRUPT = "trainyard.dev/do-not-disrupt";

    /**
     * Annotation on a pod: {@code "true"} if it can be resumed, so that it may be moved to save a machine; {@code "false"} if it cannot. The
     * annotation overrides the setting of the tier.
     */
    public static final String RESUMABLE = "trainyard.dev/resumable";

    /** Annotation or label on a pod: the gang that it belongs to, within its namespace. Machines are requested for all of a gang or for none. */
    public static final String GANG = "trainyard.dev/gang";

    /** Annotation or label on a pod: how many pods its gang has, such as {@code "8"}. */
    public static final String GANG_SIZE = "trainyard.dev/gang-size";

    /** Label on a node: the pool that its machine belongs to. */
    public static final String POOL = "trainyard.dev/pool";

    /** Label on a node: {@code spot} or {@code on-demand}, the capacity type of its pool. */
    public static final String CAPACITY_TYPE = "trainyard.dev/capacity-type";

    /** Annotation on a node: why and since when the scaler removes its machine. Whatever its value, no new pod is placed there. */
    public static final String REMOVING = "trainyard.dev/removing";

    /** The {@code spec.schedulerName} of pods that the extender's scheduler places. */
    public static final String SCHEDULER = "trainyard-scheduler";

    /** The namespace that Trainyard itself runs in, unless installed elsewhere. */
    public static final String NAMESPACE = "trainyard-system";

    private Names() {}
}
