package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Optional;

/** What to do with a pod. */
public sealed interface Decision {

    /** Every {@link #word}. */
    List<String> WORDS = List.of("untouched", "completed", "complete", "refused", "postponed", "failed");

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

    /** Rejected for now: what it should get is not known yet. Controllers try again. */
    record Postponed(String message) implements Decision {
        @Override
        public String word() {
            return "postponed";
        }
    }

    /**
     * A fault of ours, or a pod that cannot be understood: admitted as it is, since no pod shall suffer from that.
     *
     * @param problem in words for the pod's author
     * @param fault for the log, when it is ours
     */
    record Failed(String problem, Optional<Throwable> fault) implements Decision {
        public Failed(String problem) {
            this(problem, Optional.empty());
        }

        @Override
        public String word() {
            return "failed";
        }
    }
}
