package dev.trainyard.cli.check;

import dev.trainyard.extender.calls.LeaseName;
import java.util.Optional;

/**
 * Which installation is looked at.
 *
 * @param namespace that Trainyard itself runs in
 * @param schedulerLease of the scheduler that asks the extender
 * @param podNamespace in which pods are created on trial
 * @param version of this executable
 */
public record Setting(String namespace, LeaseName schedulerLease, String podNamespace, String version) {

    /**
     * The usual layout in {@code namespace}, unless said otherwise.
     *
     * @param schedulerLease where it is not that of Trainyard's own scheduler
     */
    public static Setting of(
            String namespace, Optional<LeaseName> schedulerLease, String podNamespace, String version) {
        return new Setting(
                namespace,
                schedulerLease.orElseGet(() -> new LeaseName(namespace, LeaseName.DEFAULT.name())),
                podNamespace,
                version);
    }

    /** Whether there is a second scheduler, whose pods the extender runs in; else it is the cluster's own. */
    boolean hasSchedulerOfItsOwn() {
        return schedulerLease.namespace().equals(namespace);
    }

    /** The Lease by which the scaler that acts is known. */
    LeaseName scalerLease() {
        return new LeaseName(namespace, "trainyard-scaler");
    }
}
