package dev.trainyard.scaler.audit;

/** The reason why a pod that requests GPUs or names a tier is not completed. */
public sealed interface AuditFinding {

    /**
     * The pod was admitted without the webhook.
     *
     * @param pod {@code namespace/name}
     * @param message a message for the pod's author: the missing parts, and what to do
     */
    record NotCompleted(String pod, String message) implements AuditFinding {}

    /**
     * The webhook rightly leaves the pod unchanged.
     *
     * @param why the reason, for the pod's author
     */
    record LeftAlone(String why) implements AuditFinding {}
}
