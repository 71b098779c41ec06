package dev.trainyard.scaler.audit;

/** Why a pod that asks for GPUs or names a tier is not completed: exactly one of these. */
public sealed interface Finding {

    /**
     * It was admitted without the webhook.
     *
     * @param pod {@code namespace/name}
     * @param message what it lacks and what to do, for the pod's author
     */
    record NotCompleted(String pod, String message) implements Finding {}

    /**
     * The webhook rightly leaves it as it is.
     *
     * @param why for the pod's author
     */
    record LeftAlone(String why) implements Finding {}
}
