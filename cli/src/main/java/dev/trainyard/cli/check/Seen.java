package dev.trainyard.cli.check;

import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A cluster as it was at one moment.
 *
 * @param definitions those of Trainyard
 * @param leaseName of our scheduler's Lease
 * @param lease of our scheduler
 * @param extender the Lease by which extenders say that they run
 * @param pods of our scheduler, those that have ended left out
 * @param events by which the extender says that it is not asked
 * @param registration of the webhook
 */
record Seen(
        Instant at,
        Part<List<CustomResourceDefinition>> definitions,
        LeaseName leaseName,
        Part<Optional<Lease>> lease,
        Part<Optional<Lease>> extender,
        Part<List<Pod>> pods,
        Part<List<Event>> events,
        Part<Optional<MutatingWebhookConfiguration>> registration,
        Part<List<TrainingPool>> pools,
        Part<List<TrainingTier>> tiers) {}
