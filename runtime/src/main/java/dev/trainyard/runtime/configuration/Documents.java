package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The documents of one text, read one after the other. Used by one thread. */
interface Documents {

    /** The name of the field with the objects of a list. */
    String ITEMS = "items";

    /** A receiver of the items of a document, one by one, so that a long list is never in memory as a whole. */
    interface Items {

        /**
         * Whether to pass the items of a document to {@link #item}. If false, the items become part of the document.
         *
         * @param document the document with the fields before its items; later fields are added to this object
         */
        boolean begin(ObjectNode document);

        /** Takes the next item. */
        void item(JsonNode item);
    }

    /**
     * Returns the next document, or null if there is none. The document lacks the items that {@code items} received.
     *
     * @throws UnreadableTextException if the text is malformed
     */
    @Nullable
    JsonNode next(Items items) throws IOException;
}
