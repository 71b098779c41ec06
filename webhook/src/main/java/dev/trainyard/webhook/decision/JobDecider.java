package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.Exemption;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.job.JobManagement;
import dev.trainyard.webhook.job.ReclaimPolicy;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Limits;
import dev.trainyard.webhook.pod.MutationNotes;
import dev.trainyard.webhook.pod.PodRequest;
import java.util.List;
import java.util.Optional;

/**
 * A pure function that decides what to do with a new Job. A Job whose pods get a tier gets {@link ReclaimPolicy}, unless its author or the
 * tier decided otherwise. A Job is never refused or postponed: in doubt it stays unchanged. Thread-safe; throws no exception.
 *
 * @param pods the decider that decides on the Job's pods later. The tier of a Job is the tier that this decider gives to its pods
 */
public record JobDecider(PodDecider pods) {

    /**
     * Decides on a Job.
     *
     * @param facts the facts of the namespace; empty if the webhook does not know the namespace yet
     */
    public Decision decide(ObjectNode job, String namespace, Optional<NamespaceFacts> facts, Catalogue catalogue) {
        if (facts.isEmpty()) {
            return unchanged("the webhook does not know the new namespace '%s' yet".formatted(namespace), true);
        }
        var request = new PodRequest(job, namespace, facts.get());
        var exemption = Exemption.of(request.origin(), pods.ownNamespace());
        if (exemption.isPresent()) {
            return Untouched.exempt(exemption.get());
        }
        try {
            var obstacle = ReclaimPolicy.obstacle(job);
            return obstacle.isPresent() ? unchanged(obstacle.get(), false) : complete(request, catalogue);
        } catch (RuntimeException e) {
            return new Failed("internal error; see the log of the webhook", Optional.of(e));
        }
    }

    private Decision complete(PodRequest job, Catalogue catalogue) {
        if (!(job.pod().at("/spec/template") instanceof ObjectNode template)) {
            return unchanged("it has no pod template", false);
        }
        var ofPods = pods.decide(new PodRequest(template, job.namespace(), job.facts()), catalogue);
        if (ofPods instanceof Failed) {
            return ofPods;
        }
        if (ofPods instanceof Refused refused) {
            return unchanged("its pods will be refused: " + refused.message(), true);
        }
        if (ofPods instanceof Malformed malformed) {
            return unchanged("its pods cannot be completed: " + malformed.problem(), false);
        }
        var tier = ofPods instanceof Completed completed
                ? completed
                        .tier()
                        .flatMap(name -> Optional.ofNullable(catalogue.tiers().get(name)))
                : Optional.<Tier>empty();
        if (tier.isEmpty()) {
            return unchanged("its pods get no tier", false);
        }
        var settings = tier.get().jobs();
        if (!settings.ignoreReclaims()) {
            return unchanged(
                    "jobs.ignoreReclaims of tier %s is false"
                            .formatted(tier.get().name()),
                    false);
        }
        var sign = JobManagement.sign(job.pod());
        if (sign.isPresent() && !settings.includeManaged()) {
            return unchanged("another controller manages it: " + sign.get(), false);
        }
        return completed(job.pod(), tier.get().name());
    }

    private static Decision completed(ObjectNode received, String tier) {
        var job = Draft.of(received);
        var notes = new MutationNotes();
        notes.given("tier " + tier);
        ReclaimPolicy.complete(job, notes);
        var summary = notes.summary();
        if (Limits.fits(job.at(PodDecider.ANNOTATIONS), Names.INJECTED, summary)) {
            job.put(PodDecider.INJECTED, JsonNodeFactory.instance.textNode(summary));
        }
        return PodDecider.proved(Optional.of(tier), received, job, List.of());
    }

    private static Untouched unchanged(String why, boolean isForAuthor) {
        return new Untouched(
                why,
                isForAuthor
                        ? List.of(MutationNotes.shortWarning("reclaims count as failures of this Job: " + why))
                        : List.of());
    }
}
