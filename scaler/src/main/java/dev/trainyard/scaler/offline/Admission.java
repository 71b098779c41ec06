package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import java.util.List;
import java.util.Optional;

/** What the API server, with Trainyard's webhook, would make of a pod that is created now. */
@FunctionalInterface
public interface Admission {

    /** Admits every pod as it is written. */
    Admission AS_WRITTEN = (pod, namespace, catalogue) -> new Admitted(pod, List.of(), Optional.empty());

    /**
     * A pod after admission.
     *
     * @param pod as it would be stored
     * @param warnings what its author would be told
     * @param refusal why it would be rejected; empty when it would be admitted
     */
    record Admitted(ObjectNode pod, List<String> warnings, Optional<String> refusal) {
        public Admitted {
            warnings = List.copyOf(warnings);
        }
    }

    /** Never changes {@code pod}. */
    Admitted admit(ObjectNode pod, String namespace, Catalogue catalogue);
}
