package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Optional;

/** A decision about a pod. */
public sealed interface Decision {

    /** All values of {@link #word}. */
    List<String> WORDS =
            List.of("untouched", "completed", "already-complete", "refused", "postponed", "malformed", "failed");

    /** Returns the word for this decision in logs and metrics. */
    String word();

    /**
     * The pod does not concern Trainyard and is admitted unchanged.
     *
     * @param exempt whether the pod must stay unchanged whatever it asks for
     */
    record Untouched(String reason, boolean exempt, List<String> warnings) implements Decision {
        public Untouched {
            warnings = List.copyOf(warnings);
        }

        /** Creates the decision for a pod that asks for nothing that Trainyard provides. */
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
     * The pod is admitted with the parts that it lacked.
     *
     * @param tier the pod's tier; empty if it has none and only got what its namespace gives to all its pods
     * @param patch JSON Patch; empty if the pod was already complete
     * @param json the serialized patch, proved by applying it
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

    /** The pod is rejected, because its request is invalid or impossible. */
    record Refused(String message) implements Decision {
        @Override
        public String word() {
            return "refused";
        }
    }

    /** The pod is rejected for now, because its namespace is not known yet. Controllers try again. */
    record Postponed(String message) implements Decision {
        @Override
        public String word() {
            return "postponed";
        }
    }

    /**
     * The pod cannot be understood and is admitted unchanged. The API server itself rejects most pods with mistakes.
     *
     * @param problem a description for the pod's author
     */
    record Malformed(String problem) implements Decision {
        @Override
        public String word() {
            return "malformed";
        }
    }

    /**
     * The webhook failed, which is worth an alert. The pod is admitted unchanged, so that it does not suffer from our fault.
     *
     * @param problem a description for the pod's author
     * @param fault the cause for the log; empty if there is none
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
