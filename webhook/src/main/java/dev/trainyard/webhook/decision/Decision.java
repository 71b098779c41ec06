package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Optional;

/** What to do with a pod. */
public sealed interface Decision {

    /** Every {@link #word}. */
    List<String> WORDS =
            List.of("untouched", "completed", "already-complete", "refused", "postponed", "malformed", "failed");

    /** The word for it in logs and metrics. */
    String word();

    /**
     * Not ours: admitted as it is.
     *
     * @param exempt not to be touched whatever it asks for
     */
    record Untouched(String reason, boolean exempt, List<String> warnings) implements Decision {
        public Untouched {
            warnings = List.copyOf(warnings);
        }

        /** It asks for nothing that we give. */
        public Untouched(String reason, List<String> warnings) {
            this(reason, false, warnings);
        }

        static Untouched exempt(String reason) {
            return new Untouched(reason, true, List.of());
        }

        @Override
        public String word() {
            return "untouched";
        }
    }

    /**
     * Admitted with what it lacked.
     *
     * @param tier of the pod; empty when it has none and only got what its namespace gives to all of its pods
     * @param patch JSON Patch; empty when the pod is complete already
     * @param json the patch as it is sent, proved by applying it
     */
    record Completed(Optional<String> tier, ArrayNode patch, byte[] json, List<String> warnings) implements Decision {
        public Completed {
            warnings = List.copyOf(warnings);
        }

        @Override
        public String word() {
            return patch.isEmpty() ? "already-complete" : "completed";
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
     * A pod that cannot be understood: admitted as it is. What its author got wrong, the API server mostly rejects by itself.
     *
     * @param problem in words for the pod's author
     */
    record Malformed(String problem) implements Decision {
        @Override
        public String word() {
            return "malformed";
        }
    }

    /**
     * A fault of ours, worth an alert: admitted as it is, since no pod shall suffer from that.
     *
     * @param problem in words for the pod's author
     * @param fault for the log, when there is one
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
