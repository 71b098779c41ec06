package dev.trainyard.local;

import dev.trainyard.local.binaries.KubernetesVersion;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The options of a control plane. Immutable; start from {@link #defaults()}.
 *
 * @param version version of Kubernetes
 * @param parentDirectory parent of the directory that the control plane creates, and removes on close
 * @param jobDuration time for which a pod of a Job runs before it succeeds, unless the pod has the annotation
 *     {@value SimulatedMachines#DURATION_ANNOTATION}
 * @param podStartDelay time from the binding of a pod until it is Running
 * @param startTimeout maximum time from the start of the processes until all of them are ready
 * @param audited whether the API server logs each request, with its user and authorization decision, to {@link ControlPlane#auditLog()}
 */
public record ControlPlaneOptions(
        KubernetesVersion version,
        Path parentDirectory,
        Duration jobDuration,
        Duration podStartDelay,
        Duration startTimeout,
        boolean audited) {

    public ControlPlaneOptions {
        for (Duration duration : new Duration[] {jobDuration, podStartDelay, startTimeout}) {
            if (duration.isNegative()) {
                throw new IllegalArgumentException(
                        "jobDuration, podStartDelay and startTimeout must not be negative, but one is " + duration);
            }
        }
    }

    /**
     * Returns the defaults: the current version, a directory below {@code java.io.tmpdir}, Jobs that run for 2 s, a pod start delay of 200
     * ms, and a start timeout of 3 minutes.
     */
    public static ControlPlaneOptions defaults() {
        return new ControlPlaneOptions(
                KubernetesVersion.CURRENT,
                Path.of(System.getProperty("java.io.tmpdir")),
                Duration.ofSeconds(2),
                Duration.ofMillis(200),
                Duration.ofSeconds(180),
                false);
    }

    public ControlPlaneOptions withVersion(KubernetesVersion newVersion) {
        return new ControlPlaneOptions(newVersion, parentDirectory, jobDuration, podStartDelay, startTimeout, audited);
    }

    public ControlPlaneOptions withParentDirectory(Path newParentDirectory) {
        return new ControlPlaneOptions(version, newParentDirectory, jobDuration, podStartDelay, startTimeout, audited);
    }

    public ControlPlaneOptions withJobDuration(Duration newJobDuration) {
        return new ControlPlaneOptions(version, parentDirectory, newJobDuration, podStartDelay, startTimeout, audited);
    }

    public ControlPlaneOptions withPodStartDelay(Duration newPodStartDelay) {
        return new ControlPlaneOptions(version, parentDirectory, jobDuration, newPodStartDelay, startTimeout, audited);
    }

    public ControlPlaneOptions withStartTimeout(Duration newStartTimeout) {
        return new ControlPlaneOptions(version, parentDirectory, jobDuration, podStartDelay, newStartTimeout, audited);
    }

    public ControlPlaneOptions withAudit() {
        return new ControlPlaneOptions(version, parentDirectory, jobDuration, podStartDelay, startTimeout, true);
    }
}
