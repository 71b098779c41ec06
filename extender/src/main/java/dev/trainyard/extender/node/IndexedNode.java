package dev.trainyard.extender.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A node that the scheduler asks about: the node's name, and its current state in the index. All requests share one object for each known
 * node, because a request may have thousands of nodes. Thread-safe.
 */
public final class IndexedNode {

    private static final int NO_SLOT = -1;

    private final String name;
    private final byte[] quoted;
    private final int slot;
    private volatile @Nullable IndexedState state;

    IndexedNode(String name, int slot) {
        this.name = name;
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

    /** Returns the name as JSON, in quotation marks. The caller must not change the array. */
    public byte[] quoted() {
        return quoted;
    }

    /**
     * Returns the state; null if the node is unknown or unreadable. A request must call this method only once, because the state may change
     * between two calls.
     */
    public @Nullable IndexedState state() {
        return state;
    }

    void become(@Nullable IndexedState state) {
        this.state = state;
    }

    /**
     * Returns the node's position in arrays with data of nodes. No two nodes of the index have the same position at one time. Negative for
     * an unknown node.
     */
    public int slot() {
        return slot;
    }

    /**
     * Whether the bytes from {@code from} to {@code to} are the node's name.
     *
     * @param json ASCII without characters that JSON escapes
     */
    boolean isNamed(byte[] json, int from, int to) {
        return Arrays.equals(quoted, 1, quoted.length - 1, json, from, to);
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
