package dev.trainyard.webhook.preview;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gang.GangClaim;
import dev.trainyard.runtime.namespace.NamespaceSource;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.decision.JobDecider;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.gang.GangGate;
import dev.trainyard.webhook.pod.PodGangs;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A preview of an object: the object as it would be if the webhook completed its pod or its pod templates.
 *
 * @param object the object with all pods completed, except refused ones
 * @param remarks the webhook's messages. Each message names the object. It also names the template's path if there are several templates,
 *     and the namespace unless the namespace is {@code default}
 * @param refused whether a pod would be rejected by the webhook, or by the API server because it is malformed
 */
public record Preview(ObjectNode object, List<String> remarks, boolean refused) {

    private static final String DEFAULT_NAMESPACE = "default";
    private static final JsonPointer JOB_TEMPLATE = JsonPointer.compile("/spec/jobTemplate");
    private static final String OWNERS = "ownerReferences";

    public Preview {
        remarks = List.copyOf(remarks);
    }

    /**
     * Returns the preview of {@code object}, which is never changed.
     *
     * @param namespace the namespace of an object that names none
     */
    public static Preview of(
            ObjectNode object, String namespace, PodDecider decider, Catalogue catalogue, NamespaceSource namespaces) {
        var inNamespace = namespaceOf(object, namespace);
        var after = object.deepCopy();
        var remarks = new ArrayList<String>();
        boolean refused = false;
        boolean isOfTier = false;
        var places = PodTemplates.of(object);
        if (places.isEmpty() && PodTemplates.mayBecomePods(object)) {
            remarks.add(name(object)
                    + ": left alone: the object has no pod template; pods that a controller creates for the "
                    + "object are checked at their creation");
        }
        for (var place : places) {
            var pod = asCreated((ObjectNode) object.at(place), place, object);
            var decision = decider.decide(pod, inNamespace, namespaces.facts(inNamespace), catalogue);
            var label = name(object)
                    + (places.size() == 1 ? "" : " " + place)
                    + (inNamespace.equals(DEFAULT_NAMESPACE) ? "" : " in namespace " + inNamespace);
            said(decision).forEach(remark -> remarks.add(label + ": " + remark));
            gang(pod, inNamespace, decision).ifPresent(remark -> remarks.add(label + ": " + remark));
            refused |= decision instanceof Refused || decision instanceof Postponed || decision instanceof Malformed;
            isOfTier |=
                    decision instanceof Completed completed && completed.tier().isPresent();
            if (decision instanceof Completed completed && !completed.patch().isEmpty()) {
                replace((ObjectNode) after.at(place), completed, pod, place);
            }
        }
        if (isOfTier) {
            jobIn(object).ifPresent(place -> {
                var job = (ObjectNode) object.at(place);
                var facts = namespaces.facts(inNamespace);
                var decision = new JobDecider(decider).decide(job, inNamespace, facts, catalogue);
                remarks.add(name(object) + ": " + saidOfJob(decision));
                if (decision instanceof Completed completed) {
                    var whole = (ObjectNode) after.at(place);
                    whole.setAll((ObjectNode) JsonPatch.apply(completed.patch().deepCopy(), whole.deepCopy()));
                }
            });
        }
        return new Preview(after, remarks, refused);
    }

    /** Returns the place of a Job: the object itself, or the template of a CronJob. */
    private static Optional<JsonPointer> jobIn(ObjectNode object) {
        if (!object.path("apiVersion").asText().startsWith("batch/")) {
            return Optional.empty();
        }
        return switch (object.path("kind").asText()) {
            case "Job" -> Optional.of(JsonPointer.empty());
            case "CronJob" -> Optional.of(JOB_TEMPLATE);
            default -> Optional.empty();
        };
    }

    private static String saidOfJob(Decision decision) {
        if (decision instanceof Completed) {
            return "reclaims and evictions do not count as failures of the Job";
        }
        return "reclaims and evictions count as failures of the Job: "
                + (decision instanceof Untouched untouched ? untouched.reason() : decision.word());
    }

    /** Returns the namespace of the object's pods. */
    public static String namespaceOf(ObjectNode object, String otherwise) {
        return object.path("metadata").path("namespace").asText(otherwise);
    }

    /** Returns the pod with the owner that its controller would set. The owner matters, because pods of DaemonSets stay unchanged. */
    private static ObjectNode asCreated(ObjectNode template, JsonPointer place, ObjectNode owner) {
        var pod = template.deepCopy();
        if (!place.matches()) {
            var metadata = pod.path("metadata") instanceof ObjectNode there ? there : pod.putObject("metadata");
            metadata.putArray(OWNERS)
                    .addObject()
                    .put("apiVersion", owner.path("apiVersion").asText())
                    .put("kind", owner.path("kind").asText())
                    .put("name", owner.path("metadata").path("name").asText())
                    .put("uid", "")
                    .put("controller", true);
        }
        return pod;
    }

    private static void replace(ObjectNode written, Completed completed, ObjectNode pod, JsonPointer place) {
        var patched = (ObjectNode) JsonPatch.apply(completed.patch().deepCopy(), pod);
        if (!place.matches()) {
            ((ObjectNode) patched.path("metadata")).remove(OWNERS);
        }
        written.removeAll().setAll(patched);
    }

    /** Returns the object's name as kubectl writes it. */
    private static String name(ObjectNode object) {
        var metadata = object.path("metadata");
        var name = metadata.path("name").asText();
        var prefix = metadata.path("generateName").asText();
        return object.path("kind").asText()
                + (name.isEmpty() && prefix.isEmpty() ? "" : "/")
                + (name.isEmpty() && !prefix.isEmpty() ? prefix + "*" : name);
    }

    /**
     * Returns which gang the pod is of, how that is known, and whether the pod will be held; empty if the pod itself says nothing about a
     * gang.
     */
    private static Optional<String> gang(ObjectNode pod, String namespace, Decision decision) {
        try {
            boolean isHeld = decision instanceof Completed completed
                    && GangGate.isOn(
                            JsonPatch.apply(completed.patch().deepCopy(), pod).at("/spec/schedulingGates"));
            return PodGangs.of(pod, namespace)
                    .map(claim -> saidOfGang(claim) + (isHeld ? "; held until there is room for the whole gang" : ""));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // the decision says what is malformed
        }
    }

    private static String saidOfGang(GangClaim claim) {
        if (claim instanceof GangClaim.Stated stated) {
            return "gang %s of %d pods (%s)"
                    .formatted(
                            stated.name(), stated.gang().size(), stated.gang().source());
        }
        return claim instanceof GangClaim.Malformed malformed
                ? "gang: " + malformed.problem()
                : "gang of %s, which says how many pods the gang has".formatted(claim.name());
    }

    private static List<String> said(Decision decision) {
        var said = new ArrayList<String>();
        if (decision instanceof Completed completed) {
            completed
                    .tier()
                    .ifPresent(tier ->
                            said.add("tier " + tier + (completed.patch().isEmpty() ? ": complete already" : "")));
            said.addAll(completed.warnings());
        } else if (decision instanceof Untouched untouched) {
            said.add("left alone: " + untouched.reason());
        } else if (decision instanceof Refused refused) {
            said.add("refused: " + refused.message());
        } else if (decision instanceof Postponed postponed) {
            said.add("refused for now: " + postponed.message());
        } else if (decision instanceof Malformed malformed) {
            said.add("not completed: " + malformed.problem());
        } else if (decision instanceof Failed failed) {
            said.add("left alone, because the pod cannot be completed: " + failed.problem());
        }
        return said;
    }
}
