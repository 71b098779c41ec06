package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Optional;

/** A decision about a pod, or about a Job. */
public sealed interface Decision {

    /** All values of {@link #word}. */
    List<String> WORDS =
            List.of("untouched", "completed", "already-complete", "refused", "postponed", "malformed", "failed");

    /** Returns the word for this decision in logs and metrics. */
    String word();

    /**
     * The pod does not concern Trainyard and is admitted unchanged.
     *
     * @param exempt whether the pod must stay unchanged, even if it requests GPUs or names a tier
     */
    record Untouched(String reason, boolean exempt, List<String> warnings) implements Decision {
        public Untouched {
            warnings = List.copyOf(warnings);
        }

        /** Creates the decision for a request that is not exempt. */
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
     * The pod is admitted with the parts that it lacked, or unchanged if it was already complete.
     *
     * @param tier the pod's tier; empty for a pod without a tier, which only gets the pull Secrets of its namespace
     * @param patch JSON Patch; empty if the pod was already complete
     * @param json the serialized patch, which was applied to the pod as a test
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
     * The pod is invalid. It is admitted unchanged, because the API server itself rejects most invalid pods.
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
     * The webhook failed, which is worth an alert. The pod is admitted unchanged, so that a fault of the webhook does not keep it from
     * running.
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
