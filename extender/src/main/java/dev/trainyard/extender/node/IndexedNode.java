package dev.trainyard.extender.node;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * A node of a question, by name, with what the index knows of it at the moment. Made once for each node and not for each question, since
 * questions are about thousands. Thread-safe.
 */
public final class IndexedNode {

    private static final int NO_SLOT = -1;

    private final String name;
    private final SerializableString serialized;
    private final int slot;
    private volatile @Nullable NodeState state;

    IndexedNode(String name, int slot) {
        this.name = name;
        this.serialized = new SerializedString(name);
        this.slot = slot;
    }

    /** One that the index does not know. */
    public static IndexedNode unknown(String name) {
        return new IndexedNode(name, NO_SLOT);
    }

    public String name() {
        return name;
    }

    /** The name in a form that is fast to write as JSON. */
    public SerializableString serialized() {
        return serialized;
    }

    /** Null when there is no such node, or none that can be read. To be asked once per question: it may change in between. */
    public @Nullable NodeState state() {
        return state;
    }

    void become(@Nullable NodeState state) {
        this.state = state;
    }

    /** A small number that no other node of the index has at the same time; below zero for an unknown one. */
    public int slot() {
        return slot;
    }

    /** Whether these bytes, all of them ASCII, are its name. */
    boolean isNamed(byte[] ascii, int offset, int length) {
        if (name.length() != length) {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) { // names differ at their end
            if (name.charAt(i) != ascii[offset + i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return name;
    }
}
