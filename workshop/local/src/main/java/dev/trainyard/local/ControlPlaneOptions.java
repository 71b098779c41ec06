package dev.trainyard.local;

import dev.trainyard.local.binaries.KubernetesVersion;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How a control plane is to be. Immutable; start from {@link #defaults()}.
 *
 * @param version of Kubernetes
 * @param parentDirectory in which the control plane makes its directory; removed again on close
 * @param jobDuration how long a pod of a Job runs before it succeeds, unless it carries the annotation
 *     {@value SimulatedMachines#DURATION_ANNOTATION}
 * @param podStartDelay from binding to Running
 * @param startTimeout longest time from processes being started to all of them being ready
 * @param audited whether the API server writes down who asked it for what, and by which right: {@link ControlPlane#auditLog()}
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
                throw new IllegalArgumentException("a duration must not be negative: " + duration);
            }
        }
    }

    /** Current version, below {@code java.io.tmpdir}, jobs of 2 s that start in 200 ms, ready within 3 minutes. */
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
