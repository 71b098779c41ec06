package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;

/** The objects that describe gangs, as far as they have been read. */
@FunctionalInterface
public interface GangObjects {

    /** No object can be read. */
    GangObjects NONE = object -> new Unreadable("objects that own pods are not read");

    /** Returns what is known about an object now. Does not wait for an API server. */
    Reading find(GangObject object);

    /** What is known about an object. */
    sealed interface Reading {}

    /**
     * An object that was read.
     *
     * @param object the whole object, or at least its spec, its UID and its annotations
     */
    record Found(JsonNode object) implements Reading {}

    /** The object has not been read yet; it will be soon. */
    record NotYet() implements Reading {}

    /**
     * The object does not exist, or cannot be read.
     *
     * @param reason why, such as a missing right, and what to do
     * @param isTemporary whether the scaler tries again soon, without a change by a user
     */
    record Unreadable(String reason, boolean isTemporary) implements Reading {
        /** Creates the answer about an object that stays unreadable. */
        public Unreadable(String reason) {
            this(reason, false);
        }
    }
}
