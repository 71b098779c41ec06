package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import java.util.List;
import java.util.Optional;

/** A simulation of the admission of a new pod by the API server and Trainyard's webhook. */
@FunctionalInterface
public interface OfflineAdmission {

    /** Admits every pod unchanged. */
    OfflineAdmission AS_WRITTEN = (pod, namespace, catalogue) -> new Admitted(pod, List.of(), Optional.empty());

    /**
     * A pod after admission.
     *
     * @param pod the pod as the API server would store it
     * @param warnings the warnings to the pod's author
     * @param refusal why the pod would be rejected; empty if it would be admitted
     */
    record Admitted(ObjectNode pod, List<String> warnings, Optional<String> refusal) {
        public Admitted {
            warnings = List.copyOf(warnings);
        }
    }

    /** Returns the result of the admission. Never changes {@code pod}. */
    Admitted admit(ObjectNode pod, String namespace, Catalogue catalogue);
}
