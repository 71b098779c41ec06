package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.AdmissionTraceId;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.Exemption;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.admission.PodOrigin;
import dev.trainyard.core.admission.RefusedPodException;
import dev.trainyard.core.admission.TierChoice;
import dev.trainyard.core.admission.TierChoice.Chosen;
import dev.trainyard.core.admission.TierChoice.Unassigned;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.webhook.checkpoint.CheckpointSupport;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.driver.DriverInjection;
import dev.trainyard.webhook.gang.GangGate;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.patch.PatchCheck;
import dev.trainyard.webhook.patch.UnprovedPatchException;
import dev.trainyard.webhook.placement.Placement;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.GpuNames;
import dev.trainyard.webhook.pod.GpuResources;
import dev.trainyard.webhook.pod.Limits;
import dev.trainyard.webhook.pod.MutationNotes;
import dev.trainyard.webhook.pod.PodRequest;
import dev.trainyard.webhook.pod.PodShapes;
import dev.trainyard.webhook.pod.PullSecrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A pure function that decides what to do with a pod. Thread-safe. Guarantees:
 *
 * <ul>
 *   <li>every returned patch was tested: applied to this pod, it produces the expected pod;
 *   <li>a completed pod stays complete: a second decision with the same catalogue has an empty patch. The webhook compares the pod's
 *       content, and never trusts a mark on the pod;
 *   <li>no exception is thrown: a failure is {@link Malformed} or {@link Failed}.
 * </ul>
 *
 * @param ownNamespace Trainyard's own namespace, in which pods stay unchanged, so that Trainyard never waits for itself
 * @param gpuNames the resource names by which pods request GPUs
 */
public record PodDecider(String ownNamespace, GpuNames gpuNames) {

    static final JsonPointer ANNOTATIONS = JsonPointer.compile("/metadata/annotations");
    private static final JsonPointer TIER = ANNOTATIONS.appendProperty(Names.TIER);
    static final JsonPointer INJECTED = ANNOTATIONS.appendProperty(Names.INJECTED);
    private static final JsonPointer ADMISSION = ANNOTATIONS.appendProperty(Names.ADMISSION);

    /**
     * Decides on a pod whose namespace may be unknown. A pod of an unknown namespace is {@link Postponed}, because the facts of a namespace
     * can exempt the pod, name its tier, or forbid a volume that Trainyard would add. A pod that stays unchanged in every namespace is not
     * postponed.
     */
    public Decision decide(ObjectNode pod, String namespace, Optional<NamespaceFacts> facts, Catalogue catalogue) {
        return decide(pod, namespace, facts, "", catalogue);
    }

    /** Decides on a pod from the API server whose namespace may be unknown. {@code admission} is the UID of the admission request. */
    public Decision decide(
            ObjectNode pod, String namespace, Optional<NamespaceFacts> facts, String admission, Catalogue catalogue) {
        var decision = decide(new PodRequest(pod, namespace, facts.orElse(NamespaceFacts.NONE), admission), catalogue);
        return facts.isPresent() || staysAsItIs(decision)
                ? decision
                : new Postponed("the webhook does not know the new namespace '%s' yet; try again".formatted(namespace));
    }

    private static boolean staysAsItIs(Decision decision) {
        // An untouched pod that is not exempt may change once its namespace is known: the namespace can name a tier or
        // pull Secrets for it.
        return (decision instanceof Untouched untouched && untouched.exempt())
                || decision instanceof Malformed
                || decision instanceof Failed
                || (decision instanceof Completed completed && completed.patch().isEmpty());
    }

    public Decision decide(PodRequest request, Catalogue catalogue) {
        var origin = request.origin();
        var exemption = Exemption.of(origin, ownNamespace);
        if (exemption.isPresent()) {
            return Untouched.exempt(exemption.get());
        }
        try {
            return complete(request, origin, catalogue);
        } catch (RefusedPodException e) {
            return new Refused(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return new Malformed(MutationNotes.shortProblem(String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            return new Failed("internal error; see the log of the webhook", Optional.of(e));
        }
    }

    private Decision complete(PodRequest request, PodOrigin origin, Catalogue catalogue) throws RefusedPodException {
        Limits.check(request.pod());
        var pod = Draft.of(request.pod());
        var notes = new MutationNotes();
        var withGpu = new ArrayList<Container>();
        for (var container : Container.of(pod)) {
            if (GpuResources.complete(pod, container, gpuNames, notes) > 0) {
                withGpu.add(container);
            }
        }
        var shape = PodShapes.of(pod);
        var choice = TierChoice.of(origin, shape, catalogue);
        if (choice instanceof Unassigned other) {
            return withoutTier(request, origin, other);
        }
        var chosen = (Chosen) choice;
        var tier = chosen.tier();
        notes.given("tier " + tier.name());
        shape.requests().asMap().keySet().stream()
                .filter(ResourceNames::isOtherAccelerator)
                .sorted()
                .forEach(name -> notes.warn(
                        "no driver is injected for %s; the pod runs only if a pool of tier %s promises this resource"
                                .formatted(name, tier.name())));
        var pools = Placement.pools(pod, shape, tier, chosen.wish(), notes);
        if (!pools.isEmpty()) {
            DriverInjection.complete(pod, withGpu, tier.driver(), request.facts(), notes);
        } else if (!withGpu.isEmpty() && tier.driver().mode() != DriverMode.NONE) {
            // Without a placement the pod may run on a machine outside its tier. If that machine lacks the driver, a
            // mount of the driver would keep the pod from starting.
            notes.reservation("no driver injected, because the pod was not placed");
        }
        Placement.complete(pod, shape, tier, chosen.wish(), pools, notes);
        if (tier.gangsStartWhole() && !pools.isEmpty()) {
            GangGate.complete(pod, request.namespace(), notes);
        }
        CheckpointSupport.complete(pod, withGpu, tier.checkpoint(), notes);
        PullSecrets.complete(pod, origin, notes);
        return completed(request, Optional.of(tier.name()), pod, notes);
    }

    /**
     * Adds the pull Secrets of the namespace to a pod without a tier, if the namespace sends all its pods to the webhook. A pod that
     * requests GPUs gets none.
     */
    private static Decision withoutTier(PodRequest request, PodOrigin origin, Unassigned other) {
        var pod = Draft.of(request.pod());
        var notes = new MutationNotes();
        if (!other.wantsGpu() && origin.facts().sendsAllPods()) {
            PullSecrets.complete(pod, origin, notes);
        }
        if (other.wantsGpu()) {
            // A mistake in the node constraints may be the reason why the pod has no tier.
            Placement.doubts(pod).forEach(notes::warn);
        }
        if (other.needsWarning()) {
            notes.warn(other.why());
        }
        return notes.isBlank()
                ? new Untouched(other.why(), notes.warnings())
                : completed(request, Optional.empty(), pod, notes);
    }

    private static Decision completed(PodRequest request, Optional<String> tier, Draft pod, MutationNotes notes) {
        tier.ifPresent(name -> annotate(pod, TIER, name));
        var summary = notes.summary();
        // The summary of an earlier decision is replaced, so its bytes are left out of the sum.
        long others = Limits.bytesOfAnnotations(pod.at(ANNOTATIONS), Names.INJECTED);
        if (others > Limits.MOST_ANNOTATION_BYTES) {
            return new Malformed("metadata.annotations: %s would make them %d bytes long; the API server allows %d"
                    .formatted(Names.TIER, others, Limits.MOST_ANNOTATION_BYTES));
        }
        if (Limits.fits(others, Names.INJECTED, summary)) {
            annotate(pod, INJECTED, summary);
        } else {
            pod.remove(INJECTED);
        }
        trace(request, pod);
        Limits.check(pod.tree()); // a pod beyond the limits would be malformed in a second decision
        return proved(tier, request.pod(), pod, notes.warnings());
    }

    /** Returns the decision to send the patch of {@code draft}, once the patch is proved. */
    static Decision proved(Optional<String> tier, ObjectNode received, Draft draft, List<String> warnings) {
        try {
            var json = PatchCheck.proved(received, draft.operations(), draft.tree());
            return new Completed(tier, draft.operations(), json, warnings);
        } catch (UnprovedPatchException e) {
            return new Failed(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Writes the request's UID on a pod that the patch changes. This UID identifies the pod in the logs of all components, because the pod
     * has no UID of its own yet, and often no name. A UID from an earlier request for this pod is kept.
     */
    private static void trace(PodRequest request, Draft pod) {
        var annotations = pod.at(ANNOTATIONS);
        if (!request.admission().isEmpty()
                && !pod.operations().isEmpty()
                && AdmissionTraceId.of(annotations.path(Names.ADMISSION).asText())
                        .isEmpty()
                && Limits.fits(annotations, Names.ADMISSION, request.admission())) {
            annotate(pod, ADMISSION, request.admission());
        }
    }

    private static void annotate(Draft pod, JsonPointer annotation, String value) {
        pod.put(annotation, JsonNodeFactory.instance.textNode(value));
    }
}
