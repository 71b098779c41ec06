package dev.trainyard.extender.node;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of nodes by name, with linear probing. It finds a node by the bytes of its name in a request, because making strings of
 * thousands of names would cost more than the rest of an answer. Reads take no lock; the caller must serialise writes.
 */
final class NodeTable {

    private static final int SMALLEST = 64;
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

    private volatile @Nullable IndexedNode[] table = new IndexedNode[SMALLEST];
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    private int slots;
    private int entries; // in the table, including those without a state
    private int gone; // entries whose node was removed

    /**
     * Returns the node by that name; null if there is none.
     *
     * @param json holds the name from {@code from} to {@code to}, in ASCII without characters that JSON escapes
     */
    @Nullable
    IndexedNode find(byte[] json, int from, int to) {
        var nodes = table;
        int mask = nodes.length - 1;
        for (int i = hash(json, from, to) & mask; ; i = (i + 1) & mask) {
            var node = nodes[i];
            if (node == null || node.isNamed(json, from, to)) {
                return node;
            }
        }
    }

    /**
     * Returns the nodes by many names; null for a name without a node. Reads the first table entry of every name before it compares
     * any name, so that the CPU loads many nodes from memory at once.
     *
     * @param json holds name {@code i} from {@code ends[2 * i]} to {@code ends[2 * i + 1]}, as in {@link #find(byte[], int, int)}
     */
    @Nullable
    IndexedNode[] find(byte[] json, int[] ends, int count) {
        var nodes = table;
        int mask = nodes.length - 1;
        var found = new @Nullable IndexedNode[count];
        for (int i = 0; i < count; i++) {
            found[i] = nodes[hash(json, ends[2 * i], ends[2 * i + 1]) & mask];
        }
        for (int i = 0; i < count; i++) {
            var node = found[i];
            if (node != null && !node.isNamed(json, ends[2 * i], ends[2 * i + 1])) {
                found[i] = find(json, ends[2 * i], ends[2 * i + 1]);
            }
        }
        return found;
    }

    /** Returns the node by that name; null if there is none. */
    @Nullable
    IndexedNode find(String name) {
        var nodes = table;
        int mask = nodes.length - 1;
        for (int i = hash(name) & mask; ; i = (i + 1) & mask) {
            var node = nodes[i];
            if (node == null || node.name().equals(name)) {
                return node;
            }
        }
    }

    /** Sets the state of a node. Adds the node if it is new. */
    IndexedNode put(String name, IndexedState state) {
        var node = find(name);
        if (node == null) {
            if (2 * (entries + 1) > table.length) {
                rebuild();
            }
            node = new IndexedNode(name, freeSlots.isEmpty() ? slots++ : freeSlots.pop());
            var nodes = table;
            insert(nodes, node);
            table = nodes; // so that later readers find the node
            entries++;
        } else if (node.state() == null) {
            gone--;
        }
        node.become(state);
        return node;
    }

    /** Removes the state of a node. The node itself stays in the table until the table is full and is rebuilt. */
    void remove(IndexedNode node) {
        if (node.state() != null) {
            node.become(null);
            gone++;
        }
    }

    /** Returns how many places are examined to find a name. */
    int probes(String name) {
        var nodes = table;
        int mask = nodes.length - 1;
        int probes = 1;
        for (int i = hash(name) & mask; !isAt(nodes[i], name); i = (i + 1) & mask) {
            probes++;
        }
        return probes;
    }

    private static boolean isAt(@Nullable IndexedNode node, String name) {
        return node == null || node.name().equals(name);
    }

    /** Returns the number of nodes with a state. */
    int size() {
        return entries - gone;
    }

    /** Returns the nodes with a state. */
    List<IndexedNode> nodes() {
        var nodes = new ArrayList<IndexedNode>(size());
        for (var node : table) {
            if (node != null && node.state() != null) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    private void rebuild() {
        var old = table;
        var kept = nodes();
        for (var node : old) {
            if (node != null && node.state() == null) {
                freeSlots.push(node.slot());
            }
        }
        int length = SMALLEST;
        while (length < 4 * (kept.size() + 1)) {
            length *= 2;
        }
        var made = new IndexedNode[length];
        kept.forEach(node -> insert(made, node));
        entries = kept.size();
        gone = 0;
        table = made;
    }

    private static void insert(@Nullable IndexedNode[] nodes, IndexedNode node) {
        int mask = nodes.length - 1;
        int i = hash(node.name()) & mask;
        while (nodes[i] != null) {
            i = (i + 1) & mask;
        }
        nodes[i] = node;
    }

    private static int hash(String name) {
        var bytes = name.getBytes(UTF_8);
        return hash(bytes, 0, bytes.length);
    }

    /**
     * Returns a hash of the bytes from {@code from} to {@code to}. It takes eight bytes at a time, because a hash of thousands of names, byte
     * by byte, would take as long as their look-up. Machines are numbered, so names often differ in the last bytes only. The multiplications
     * spread each difference over the hash.
     */
    private static int hash(byte[] bytes, int from, int to) {
        long hash = 0;
        int i = from;
        for (; i <= to - Long.BYTES; i += Long.BYTES) {
            hash = mixed(hash ^ (long) WORDS.get(bytes, i));
        }
        long rest = 0;
        for (; i < to; i++) {
            rest = rest << Byte.SIZE | bytes[i];
        }
        return (int) mixed(hash ^ rest);
    }

    private static long mixed(long word) {
        long spread = word * 0x9E3779B97F4A7C15L; // 2^64 / golden ratio: Knuth, The Art of Computer Programming, 6.4
        return spread ^ (spread >>> 32);
    }
}
