package dev.trainyard.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.namespace.NamespaceSource;
import dev.trainyard.scaler.offline.OfflineAdmission;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.decision.PodDecider;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.List;
import java.util.Optional;

/** An {@link OfflineAdmission} that applies the webhook's decisions to pods. */
record WebhookAdmission(PodDecider decider, NamespaceSource namespaces) implements OfflineAdmission {

    @Override
    public Admitted admit(ObjectNode pod, String namespace, Catalogue catalogue) {
        var decision = decider.decide(pod, namespace, namespaces.facts(namespace), catalogue);
        if (decision instanceof Completed completed) {
            var after = (ObjectNode) JsonPatch.apply(completed.patch().deepCopy(), pod);
            return new Admitted(after, completed.warnings(), Optional.empty());
        }
        if (decision instanceof Untouched untouched) {
            return new Admitted(pod, untouched.warnings(), Optional.empty());
        }
        if (decision instanceof Refused refused) {
            return refused(pod, refused.message());
        }
        if (decision instanceof Postponed postponed) {
            return refused(pod, postponed.message());
        }
        if (decision instanceof Malformed malformed) {
            return refused(pod, malformed.problem());
        }
        var problem = decision instanceof Failed failed ? failed.problem() : decision.word();
        return new Admitted(pod, List.of("the pod is admitted unchanged: " + problem), Optional.empty());
    }

    private static Admitted refused(ObjectNode pod, String why) {
        return new Admitted(pod, List.of(), Optional.of(why));
    }
}
