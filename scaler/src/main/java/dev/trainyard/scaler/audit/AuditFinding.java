package dev.trainyard.scaler.audit;

/**
 * The reason why the webhook did not complete a pod that requests GPUs or names a tier. To complete a pod means to add the settings of its
 * tier to the pod.
 */
public sealed interface AuditFinding {

    /**
     * A pod that was admitted without the webhook.
     *
     * @param pod {@code namespace/name}
     * @param message a message for the pod's author: which settings are missing, and what to do
     */
    record NotCompleted(String pod, String message) implements AuditFinding {}

    /**
     * A pod that the webhook leaves unchanged on purpose.
     *
     * @param why the reason, for the pod's author
     */
    record LeftAlone(String why) implements AuditFinding {}
}
