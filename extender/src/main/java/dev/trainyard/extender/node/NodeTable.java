package dev.trainyard.extender.node;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes by name, found by the bytes of a request: to make a string of each of thousands of names would cost more than all the rest of an
 * answer. An open hash table with linear probing. Reading takes no lock; writers take turns, which is the
 * caller's to see to.
 */
final class NodeTable {

    private static final int SMALLEST = 64;

    private volatile @Nullable IndexedNode[] table = new IndexedNode[SMALLEST];
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    private int slots;
    private int entries; // of the table, those without a state included
    private int gone; // of the entries, those that were removed

    /**
     * Null when it is not there.
     *
     * @param json has the name, all of it ASCII
     * @param hash its hash code as a string
     */
    @Nullable
    IndexedNode find(byte[] json, int from, int to, int hash) {
        var nodes = table;
        int mask = nodes.length - 1;
        for (int i = mixed(hash) & mask; ; i = (i + 1) & mask) {
            var node = nodes[i];
            if (node == null || node.isNamed(json, from, to)) {
                return node;
            }
        }
    }

    /** Null when it is not there. */
    @Nullable
    IndexedNode find(String name) {
        var nodes = table;
        int mask = nodes.length - 1;
        for (int i = mixed(name.hashCode()) & mask; ; i = (i + 1) & mask) {
            var node = nodes[i];
            if (node == null || node.name().equals(name)) {
                return node;
            }
        }
    }

    /** The node by that name, which may be new. */
    IndexedNode put(String name, NodeState state) {
        var node = find(name);
        if (node == null) {
            if (2 * (entries + 1) > table.length) {
                rebuild();
            }
            node = new IndexedNode(name, freeSlots.isEmpty() ? slots++ : freeSlots.pop());
            var nodes = table;
            insert(nodes, node);
            table = nodes; // so that whoever reads it from now on finds the node
            entries++;
        } else if (node.state() == null) {
            gone--;
        }
        node.become(state);
        return node;
    }

    /** It stays in the table without a state, until there are so many that the table is made anew. */
    void remove(IndexedNode node) {
        if (node.state() != null) {
            node.become(null);
            gone++;
        }
    }

    /** How many places are looked at to find it. */
    int probes(String name) {
        var nodes = table;
        int mask = nodes.length - 1;
        int probes = 1;
        for (int i = mixed(name.hashCode()) & mask; !isAt(nodes[i], name); i = (i + 1) & mask) {
            probes++;
        }
        return probes;
    }

    private static boolean isAt(@Nullable IndexedNode node, String name) {
        return node == null || node.name().equals(name);
    }

    /** How many have a state. */
    int size() {
        return entries - gone;
    }

    /** Those that have a state. */
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
        int i = mixed(node.name().hashCode()) & mask;
        while (nodes[i] != null) {
            i = (i + 1) & mask;
        }
        nodes[i] = node;
    }

    /**
     * Fibonacci hashing of a string's hash code. Machines are numbered, so their hash codes stand side by side, and several pools' would
     * run into each other: thousands of probes for one name.
     */
    private static int mixed(int hash) {
        int spread = hash * 0x9E3779B9; // 2^32 by the golden ratio: Knuth, The Art of Computer Programming, vol. 3, 6.4
        return spread ^ (spread >>> 16);
    }
}
