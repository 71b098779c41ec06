package dev.trainyard.extender.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A node of a question: its name, and its current state in the index. There is one object for each node and not for each question, because
 * a question has thousands of nodes. Thread-safe.
 */
public final class IndexedNode {

    private static final int NO_SLOT = -1;

    private final String name;
    private final byte[] bytes;
    private final byte[] quoted;
    private final int slot;
    private volatile @Nullable IndexedState state;

    IndexedNode(String name, int slot) {
        this.name = name;
        this.bytes = name.getBytes(UTF_8);
        this.quoted = quote(name);
        this.slot = slot;
    }

    /** Returns a node that the index does not know. */
    public static IndexedNode unknown(String name) {
        return new IndexedNode(name, NO_SLOT);
    }

    public String name() {
        return name;
    }

    /** Returns the name as JSON, in quotation marks. The caller must not change it. */
    public byte[] quoted() {
        return quoted;
    }

    /** Returns the state; null if the node is unknown or unreadable. Must be called once per question, since the state may change in between. */
    public @Nullable IndexedState state() {
        return state;
    }

    void become(@Nullable IndexedState state) {
        this.state = state;
    }

    /** Returns a small number that no other node of the index has at the same time; negative for an unknown node. */
    public int slot() {
        return slot;
    }

    /** Whether these bytes are the node's name. */
    boolean isNamed(byte[] json, int from, int to) {
        return Arrays.equals(bytes, 0, bytes.length, json, from, to);
    }

    private static byte[] quote(String name) {
        var quoted = "\"" + new String(JsonStringEncoder.getInstance().quoteAsString(name)) + "\"";
        return quoted.getBytes(UTF_8);
    }

    @Override
    public String toString() {
        return name;
    }
}
