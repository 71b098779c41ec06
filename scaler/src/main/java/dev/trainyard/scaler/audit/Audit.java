package dev.trainyard.scaler.audit;

import dev.trainyard.core.Names;
import dev.trainyard.core.admission.Exemption;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.admission.PodOrigin;
import dev.trainyard.core.admission.RefusedPodException;
import dev.trainyard.core.admission.TierChoice;
import dev.trainyard.core.admission.TierChoice.Chosen;
import dev.trainyard.core.admission.TierChoice.Unassigned;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.scaler.audit.AuditFinding.LeftAlone;
import dev.trainyard.scaler.audit.AuditFinding.NotCompleted;
import dev.trainyard.scaler.observe.PodReading;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pods that the webhook did not complete, and why. To complete a pod means to add the settings of its tier to the pod. The audit
 * applies the webhook's own rules, so pods that the webhook skips on purpose do not count as missed. Immutable.
 *
 * @param findings the findings by pod UID
 */
public record Audit(Map<String, AuditFinding> findings) {

    private static final String MISSED =
            "(the webhook was down or failed, or the webhook or the tier was created after the pod)";

    public Audit {
        findings = Map.copyOf(findings);
    }

    /**
     * Checks the pods that request GPUs or name a tier. Skips pods with the annotation that the webhook sets, pods that have ended, and
     * pods that are being deleted. A pure function. To save time, most pods are skipped after a look at their annotations and resource
     * names, and each namespace is looked up once.
     *
     * @param namespaces returns the facts about a namespace by name, or empty if the namespace is not known yet; pods of an unknown
     *     namespace are not checked
     * @param ownNamespace the namespace that Trainyard runs in
     */
    public static Audit of(
            Collection<Pod> pods,
            Function<String, Optional<NamespaceFacts>> namespaces,
            Catalogue catalogue,
            String ownNamespace) {
        var known = new HashMap<String, Optional<NamespaceFacts>>();
        var findings = new HashMap<String, AuditFinding>();
        for (var pod : pods) {
            if (bearsNoMark(pod) && isForTheWebhook(pod) && isToStay(pod)) {
                known.computeIfAbsent(pod.getMetadata().getNamespace(), namespaces)
                        .flatMap(facts -> finding(pod, facts, catalogue, ownNamespace))
                        .ifPresent(finding -> findings.put(pod.getMetadata().getUid(), finding));
            }
        }
        return new Audit(findings);
    }

    public Optional<AuditFinding> of(String uid) {
        return Optional.ofNullable(findings.get(uid));
    }

    /** Returns the pods that were admitted without the webhook, by UID. */
    public Map<String, NotCompleted> notCompleted() {
        var pods = new HashMap<String, NotCompleted>();
        findings.forEach((uid, finding) -> {
            if (finding instanceof NotCompleted missed) {
                pods.put(uid, missed);
            }
        });
        return pods;
    }

    private static boolean bearsNoMark(Pod pod) {
        return !annotations(pod).containsKey(Names.INJECTED);
    }

    private static boolean isToStay(Pod pod) {
        return !PodReading.ended(pod) && pod.getMetadata().getDeletionTimestamp() == null;
    }

    /** Whether the pod requests GPUs or names a tier, so that the webhook's registration selects the pod. */
    private static boolean isForTheWebhook(Pod pod) {
        return pod.getSpec() != null
                && (annotations(pod).containsKey(Names.TIER)
                        || asksForGpus(pod.getSpec().getContainers())
                        || asksForGpus(pod.getSpec().getInitContainers()));
    }

    private static boolean asksForGpus(@Nullable List<Container> containers) {
        for (var container : containers == null ? List.<Container>of() : containers) {
            var resources = container.getResources();
            if (resources != null && (namesGpus(resources.getLimits()) || namesGpus(resources.getRequests()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean namesGpus(@Nullable Map<String, Quantity> amounts) {
        for (var name : amounts == null ? List.<String>of() : amounts.keySet()) {
            if (ResourceNames.canonical(name).equals(ResourceNames.GPU)) {
                return true;
            }
        }
        return false;
    }

    private static Optional<AuditFinding> finding(
            Pod pod, NamespaceFacts facts, Catalogue catalogue, String ownNamespace) {
        try {
            var origin = new PodOrigin(
                    pod.getMetadata().getNamespace(),
                    annotations(pod),
                    owners(pod).map(OwnerReference::getKind).toList(),
                    facts);
            var exemption = Exemption.of(origin, ownNamespace);
            if (exemption.isPresent()) {
                return exemption.map(LeftAlone::new);
            }
            var choice = TierChoice.of(origin, PodReader.shapeOf(pod), catalogue);
            if (choice instanceof Unassigned other) {
                return other.needsWarning() ? Optional.of(new LeftAlone(other.why())) : Optional.empty();
            }
            return Optional.of(missed(pod, (Chosen) choice));
        } catch (RefusedPodException e) {
            return Optional.of(missed(pod, e));
        } catch (RuntimeException e) {
            return Optional.empty(); // the pod is malformed: this is reported when the pod is read for planning
        }
    }

    private static NotCompleted missed(Pod pod, Chosen choice) {
        return new NotCompleted(
                name(pod),
                ("the webhook did not complete this pod %s: the scheduler, tolerations, node affinity and driver of tier %s are missing."
                                + " If the pod runs correctly, leave it; otherwise delete it, %s")
                        .formatted(MISSED, choice.tier().name(), again(pod)));
    }

    private static NotCompleted missed(Pod pod, RefusedPodException refusal) {
        return new NotCompleted(
                name(pod),
                ("the webhook did not see this pod %s, and would have refused it: %s."
                                + " If the pod runs correctly, leave it; otherwise fix the problem, delete the pod, %s")
                        .formatted(MISSED, refusal.getMessage(), again(pod)));
    }

    private static String again(Pod pod) {
        return owners(pod)
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .findFirst()
                .map(owner -> "and its %s creates it again".formatted(owner.getKind()))
                .orElse("and create it again");
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }

    private static Stream<OwnerReference> owners(Pod pod) {
        var owners = pod.getMetadata().getOwnerReferences();
        return owners == null ? Stream.of() : owners.stream();
    }

    private static Map<String, String> annotations(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        return annotations == null ? Map.of() : annotations;
    }
}
