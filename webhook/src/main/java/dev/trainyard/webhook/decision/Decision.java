package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;

/** What to do with a pod. */
public sealed interface Decision {

    /** The word for it in logs and metrics. */
    String word();

    /** Not ours: admitted as it is. */
    record Untouched(String reason, List<String> warnings) implements Decision {
        public Untouched {
            warnings = List.copyOf(warnings);
        }

        @Override
        public String word() {
            return "untouched";
        }
    }

    /**
     * Admitted, as a pod of a tier.
     *
     * @param patch JSON Patch, proved by applying it; empty when the pod is complete already
     */
    record Completed(String tier, ArrayNode patch, List<String> warnings) implements Decision {
        public Completed {
            warnings = List.copyOf(warnings);
        }

        @Override
        public String word() {
            return patch.isEmpty() ? "complete" : "completed";
        }
    }

    /** Rejected: the pod asks for what cannot be. */
    record Refused(String message) implements Decision {
        @Override
        public String word() {
            return "refused";
        }
    }

    /** A fault of ours, or a pod that cannot be understood: admitted as it is, since no pod shall suffer from that. */
    record Failed(String problem) implements Decision {
        @Override
        public String word() {
            return "failed";
        }
    }
}
