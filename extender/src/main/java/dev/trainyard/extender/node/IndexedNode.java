package dev.trainyard.extender.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A node of a question, by name, with what the index knows of it at the moment. Made once for each node and not for each question, since
 * questions are about thousands. Thread-safe.
 */
public final class IndexedNode {

    private static final int NO_SLOT = -1;

    private final String name;
    private final byte[] bytes;
    private final byte[] quoted;
    private final int slot;
    private volatile @Nullable NodeState state;

    IndexedNode(String name, int slot) {
        this.name = name;
        this.bytes = name.getBytes(UTF_8);
        this.quoted = quote(name);
        this.slot = slot;
    }

    /** One that the index does not know. */
    public static IndexedNode unknown(String name) {
        return new IndexedNode(name, NO_SLOT);
    }

    public String name() {
        return name;
    }

    /** Its name as JSON, in quotation marks; not to be changed. */
    public byte[] quoted() {
        return quoted;
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

    /** Whether these bytes are its name. */
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
