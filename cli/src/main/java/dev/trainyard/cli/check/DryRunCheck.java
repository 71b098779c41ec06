package dev.trainyard.cli.check;

import dev.trainyard.cli.check.DryRunPod.Expected;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import java.util.List;
import java.util.Optional;

/** A check that the API server calls the webhook for the right pods, and that the webhook treats them as expected. */
final class DryRunCheck implements Check {

    private static final String ABOUT = "test pod";
    private static final String INJECTED = "metadata.annotations[%s]".formatted(Names.INJECTED);

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.admission().trials().stream()
                .map(trial -> look(trial, seen))
                .toList();
    }

    private static Finding look(DryRunPod trial, ClusterSnapshot seen) {
        if (trial.outcome() instanceof DryRunPod.NotTried not) {
            return ReadResult.notChecked(ABOUT, not.problem());
        }
        if (trial.outcome() instanceof DryRunPod.Refused refused) {
            return refused(trial, refused, seen);
        }
        var created = (DryRunPod.Created) trial.outcome();
        return trial.expected() == Expected.LEFT_ALONE
                ? bystander(trial, created, seen)
                : created(trial, created, seen);
    }

    private static Finding created(DryRunPod trial, DryRunPod.Created created, ClusterSnapshot seen) {
        var namespace = seen.setting().podNamespace();
        if (!created.injected().isEmpty()) {
            return Finding.ok(
                    ABOUT,
                    "the webhook completed %s in namespace %s; summary of the changes: %s"
                            .formatted(trial.words(), namespace, created.injected()));
        }
        if (!isRegistered(seen)) {
            return Finding.note(
                    ABOUT, "%s was created unchanged, because the webhook is not registered".formatted(trial.words()));
        }
        return Finding.error(
                        ABOUT,
                        "the API server creates %s in namespace %s, but the webhook does not complete the pod"
                                .formatted(trial.words(), namespace))
                .on("Pod in namespace " + namespace)
                .field(INJECTED, "", "an annotation of the webhook")
                .todo(
                        "see the other findings about the webhook, and the webhook's log; search the API server's log for 'failed calling webhook'")
                .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED);
    }

    /**
     * Returns the finding on a pod that requests no GPU and names no tier. The webhook must leave this pod alone, unless a label of the
     * namespace sends all its pods to the webhook.
     */
    private static Finding bystander(DryRunPod trial, DryRunPod.Created created, ClusterSnapshot seen) {
        var namespace = seen.setting().podNamespace();
        if (created.injected().isEmpty()) {
            return Finding.ok(ABOUT, "%s in namespace %s was left unchanged".formatted(trial.words(), namespace));
        }
        var sendsAll = seen.configuration()
                .namespaces()
                .value()
                .map(all -> all.stream()
                        .filter(one -> one.getMetadata().getName().equals(namespace))
                        .anyMatch(NamespacesCheck::sendsAllPods));
        if (sendsAll.isEmpty()) {
            return seen.configuration().namespaces().notChecked(ABOUT);
        }
        return sendsAll.get()
                ? Finding.ok(
                        ABOUT,
                        "the webhook completed %s, because of label %s of namespace %s; summary of the changes: %s"
                                .formatted(trial.words(), Names.ALL_PODS, namespace, created.injected()))
                : Finding.error(
                                ABOUT,
                                "the webhook changes %s, but should leave this pod unchanged".formatted(trial.words()))
                        .on("Pod in namespace " + namespace)
                        .field(INJECTED, created.injected(), "no such annotation")
                        .todo("see the other findings about the webhook; " + RegistrationCheck.APPLY)
                        .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED);
    }

    private static Finding refused(DryRunPod trial, DryRunPod.Refused refused, ClusterSnapshot seen) {
        var unreached = refused.unreached();
        if (unreached.isPresent()) {
            return keptOut(trial, refused, unreached.get());
        }
        var denier = refused.denier().filter(RegistrationCheck.ENTRIES::contains);
        if (denier.isEmpty()) {
            return ReadResult.notChecked(
                    ABOUT, "the API server refused %s: %s".formatted(trial.words(), refused.message()));
        }
        if (trial.expected() == Expected.REFUSED) {
            return Finding.ok(ABOUT, "the webhook refused a pod of a missing tier, as expected");
        }
        var finding = Finding.error(ABOUT, "the webhook refused %s: %s".formatted(trial.words(), refused.message()))
                .on("Pod in namespace " + seen.setting().podNamespace())
                .see(TroubleshootingTopic.NO_SUCH_TIER);
        if (trial.tier().isEmpty()) {
            return finding.todo(
                    "fix the tier that its namespace names, or the webhook's registration: see the other findings");
        }
        return finding.field("metadata.annotations[%s]".formatted(Names.TIER), trial.tier(), "a tier that can be used")
                .todo("fix TrainingTier " + trial.tier());
    }

    /**
     * Returns the error that the API server refuses pods because it cannot call {@code webhook}. The webhook may belong to another product.
     */
    private static Finding keptOut(DryRunPod trial, DryRunPod.Refused refused, String webhook) {
        boolean ours = RegistrationCheck.ENTRIES.contains(webhook);
        return Finding.error(
                        ABOUT,
                        "pods such as %s cannot be created: the API server cannot call webhook %s%s, and its failurePolicy is Fail: %s"
                                .formatted(
                                        trial.words(),
                                        webhook,
                                        ours ? "" : " (not part of Trainyard)",
                                        refused.message()))
                .on(ours ? RegistrationCheck.OBJECT : "webhook configuration of " + webhook)
                .field("webhooks[%s].failurePolicy".formatted(webhook), "Fail", "Ignore, or a webhook that answers")
                .todo(
                        ours
                                ? RegistrationCheck.APPLY + "; see the findings about services and certificates"
                                : "ask the webhook's operator to restart the webhook; until then, set failurePolicy to Ignore "
                                        + "in its entry; find the entry with 'kubectl get "
                                        + "mutatingwebhookconfigurations,validatingwebhookconfigurations'")
                .see(TroubleshootingTopic.WEBHOOK_KEEPS_PODS_OUT);
    }

    private static boolean isRegistered(ClusterSnapshot seen) {
        return seen.admission().registration().value().map(Optional::isPresent).orElse(true);
    }
}
