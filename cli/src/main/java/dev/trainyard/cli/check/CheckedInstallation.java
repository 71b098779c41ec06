package dev.trainyard.cli.check;

import dev.trainyard.extender.calls.LeaseName;
import java.util.Optional;

/**
 * The installation to check.
 *
 * @param namespace the namespace that Trainyard itself runs in
 * @param schedulerLease the Lease of the scheduler that asks the extender
 * @param podNamespace the namespace in which trial pods are created with {@code dryRun=All}
 * @param version the version of this executable
 */
public record CheckedInstallation(String namespace, LeaseName schedulerLease, String podNamespace, String version) {

    /**
     * Returns a description of an installation in {@code namespace}.
     *
     * @param schedulerLease empty for the Lease of Trainyard's own scheduler
     */
    public static CheckedInstallation of(
            String namespace, Optional<LeaseName> schedulerLease, String podNamespace, String version) {
        return new CheckedInstallation(
                namespace,
                schedulerLease.orElseGet(() -> new LeaseName(namespace, LeaseName.DEFAULT.name())),
                podNamespace,
                version);
    }

    /** Whether Trainyard has its own scheduler, with the extender in the same pods, instead of using the cluster's scheduler. */
    boolean hasSchedulerOfItsOwn() {
        return schedulerLease.namespace().equals(namespace);
    }

    /** Returns the name of the active scaler's Lease. */
    LeaseName scalerLease() {
        return new LeaseName(namespace, "trainyard-scaler");
    }
}
