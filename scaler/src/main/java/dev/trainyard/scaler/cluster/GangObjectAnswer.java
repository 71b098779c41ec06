package dev.trainyard.scaler.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.gang.GangObject;

/** The result of one attempt to read an object that describes a gang. */
sealed interface GangObjectAnswer {

    /**
     * The object was read.
     *
     * @param object the parts of the object that are kept
     * @param size the length of these parts as JSON text
     */
    record Read(JsonNode object, int size) implements GangObjectAnswer {}

    /**
     * The object itself cannot be used: it does not exist, or is too large. Replaces what was read before.
     *
     * @param reason the object, the problem, and what to do
     */
    record Unusable(String reason) implements GangObjectAnswer {}

    /**
     * The attempt failed, so the state of the object is unknown.
     *
     * @param problem the request, its answer, and what to do; does not name the object, since other objects may have the same problem
     */
    record Failed(Failure failure, String problem) implements GangObjectAnswer {

        /** Returns the problem as the reason why an object cannot be read. */
        String reason(GangObject object) {
            return "%s cannot be read: %s".formatted(object, problem);
        }
    }

    /** The kinds of failures. */
    enum Failure {
        /** The scaler lacks the right to read objects of this kind. */
        FORBIDDEN,
        /** The API server has no objects of this kind. */
        NOT_SERVED,
        /** The API server did not answer, or with an error. */
        UNAVAILABLE,
        /** The answer about this object is not an object. Answers about other objects may be valid. */
        MALFORMED
    }
}
