package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.driver.DriverInjection;
import dev.trainyard.webhook.namespace.NamespaceFacts;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.patch.PatchCheck;
import dev.trainyard.webhook.placement.Placement;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.GpuResources;
import dev.trainyard.webhook.pod.Notes;
import dev.trainyard.webhook.pod.PodRequest;
import dev.trainyard.webhook.pod.RefusedPodException;
import dev.trainyard.webhook.pod.Shapes;
import dev.trainyard.webhook.tier.TierChoice;
import dev.trainyard.webhook.tier.TierChoice.Chosen;
import dev.trainyard.webhook.tier.TierChoice.NotForUs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what to do with a pod. A pure function; thread-safe. Guarantees:
 *
 * <ul>
 *   <li>a patch was applied to the very pod and led where it should;
 *   <li>a pod that was completed is complete: decided again, with the same catalogue, it gets no patch. What the pod holds decides that,
 *       never a mark on it;
 *   <li>never throws: what goes wrong is a {@link Failed}.
 * </ul>
 *
 * @param ownNamespace where Trainyard itself runs; left alone, so that it never waits for itself
 */
public record PodDecider(String ownNamespace) {

    private static final JsonPointer ANNOTATIONS = JsonPointer.compile("/metadata/annotations");

    /**
     * Decides on a pod of which the facts of the namespace may be unknown. It is {@link Postponed} then, unless it is left as it is
     * whatever the facts are: they may say that the pod is to be left alone, which tier it is for, or that a volume that we would add
     * makes it be rejected.
     */
    public Decision decide(ObjectNode pod, String namespace, Optional<NamespaceFacts> facts, Catalogue catalogue) {
        var decision = decide(new PodRequest(pod, namespace, facts.orElse(NamespaceFacts.NONE)), catalogue);
        return facts.isPresent() || staysAsItIs(decision)
                ? decision
                : new Postponed("namespace '%s' is so new that the webhook does not know it yet; try again"
                        .formatted(namespace));
    }

    private static boolean staysAsItIs(Decision decision) {
        if (decision instanceof Untouched untouched) {
            // The warning is that no default tier fits, and the namespace may name another.
            return untouched.warnings().isEmpty();
        }
        return decision instanceof Failed
                || decision instanceof Completed completed && completed.patch().isEmpty();
    }

    public Decision decide(PodRequest request, Catalogue catalogue) {
        var exemption = Exemption.of(request, ownNamespace);
        if (exemption.isPresent()) {
            return new Untouched(exemption.get(), List.of());
        }
        try {
            return complete(request, catalogue);
        } catch (RefusedPodException e) {
            return new Refused(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return new Failed(Notes.shortProblem(String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            return new Failed("an internal error; the log of the webhook has it", Optional.of(e));
        }
    }

    private static Decision complete(PodRequest request, Catalogue catalogue) throws RefusedPodException {
        var pod = Draft.of(request.pod());
        var notes = new Notes();
        var withGpu = new ArrayList<Container>();
        for (var container : Container.of(pod)) {
            if (GpuResources.complete(pod, container, notes) > 0) {
                withGpu.add(container);
            }
        }
        var choice = TierChoice.of(request, Shapes.of(pod).gpus(), catalogue);
        if (choice instanceof NotForUs other) {
            return new Untouched(
                    other.why(), other.worthAWarning() ? List.of(Notes.shortWarning(other.why())) : List.of());
        }
        var tier = ((Chosen) choice).tier();
        notes.given("tier " + tier.name());
        DriverInjection.complete(pod, withGpu, tier.driver(), request.facts(), notes);
        Placement.complete(pod, tier, notes);
        annotate(pod, tier, notes);
        return PatchCheck.problem(request.pod(), pod.operations(), pod.tree())
                .<Decision>map(problem -> new Failed(problem))
                .orElseGet(() -> new Completed(tier.name(), pod.operations(), notes.warnings()));
    }

    private static void annotate(Draft pod, Tier tier, Notes notes) {
        pod.put(ANNOTATIONS.appendProperty(Names.TIER), JsonNodeFactory.instance.textNode(tier.name()));
        pod.put(ANNOTATIONS.appendProperty(Names.INJECTED), JsonNodeFactory.instance.textNode(notes.summary()));
    }
}
