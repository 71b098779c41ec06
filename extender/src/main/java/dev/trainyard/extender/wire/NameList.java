package dev.trainyard.extender.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the list of node names in a request. There may be thousands of names, and reading them is most of the work, so names are
 * looked up by the received bytes. Names of nodes are plain ASCII (RFC 1123). If a list has any other name, or is not the last member of
 * the request, the JSON library reads the list.
 */
final class NameList {

    private static final ObjectReader JSON = new JsonMapper().reader();

    private static final int SHORT_NAME = 20; // with its quotation marks and comma

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long SPACE = ' ' * EACH_BYTE;
    private static final long QUOTE = '"' * EACH_BYTE;
    private static final long BACKSLASH = '\\' * EACH_BYTE;

    private final NodeIndex index;

    NameList(NodeIndex index) {
        this.index = index;
    }

    /**
     * Reads a list of node names that ends a request, as in the scheduler's requests. The JSON library would take longer to skip the names
     * than this method takes to read them.
     *
     * @param start position of the list's opening bracket
     * @return null if the rest of the request is not a list of plain names and the end of the request
     */
    @Nullable
    List<IndexedNode> readLast(byte[] json, int start) {
        var ends = new int[2 * ((json.length - start) / SHORT_NAME + 1)];
        int count = 0;
        int i = start;
        do {
            i = skipSpace(json, i + 1);
            int from = i + 1;
            int to = is('"', json, i) ? endOfPlain(json, from) : from;
            if (from == to || !is('"', json, to)) {
                return null;
            }
            if (2 * count == ends.length) {
                ends = Arrays.copyOf(ends, 2 * ends.length);
            }
            ends[2 * count] = from;
            ends[2 * count + 1] = to;
            count++;
            i = skipSpace(json, to + 1);
        } while (is(',', json, i));
        return is(']', json, i) && is('}', json, skipSpace(json, i + 1)) ? index.nodes(json, ends, count) : null;
    }

    private static boolean is(char ascii, byte[] json, int i) {
        return i < json.length && json[i] == ascii;
    }

    private static int skipSpace(byte[] json, int from) {
        int i = from;
        while (is(' ', json, i) || is('\n', json, i) || is('\r', json, i) || is('\t', json, i)) {
            i++;
        }
        return i;
    }

    /**
     * Returns the position of the first byte that is a quotation mark, a backslash, a control character or beyond ASCII; the length if there
     * is none. It looks at eight bytes at a time: byte by byte, it would be a quarter of the time to read the names.
     */
    private static int endOfPlain(byte[] json, int from) {
        int i = from;
        for (; i <= json.length - Long.BYTES; i += Long.BYTES) {
            long word = (long) WORDS.get(json, i);
            long special = (zeroBytes(word ^ QUOTE) | zeroBytes(word ^ BACKSLASH) | (word - SPACE) | word) & HIGH_BITS;
            if (special != 0) {
                return i + Long.numberOfTrailingZeros(special) / Byte.SIZE;
            }
        }
        while (i < json.length
                && json[i] >= ' '
                && json[i] != '"'
                && json[i] != '\\') { // bytes beyond ASCII are negative
            i++;
        }
        return i;
    }

    /** Returns a word whose lowest high bit is that of the lowest zero byte: Warren, Hacker's Delight, 6-1. Higher high bits may be wrong. */
    private static long zeroBytes(long word) {
        return (word - EACH_BYTE) & ~word;
    }

    /**
     * Reads any list of node names.
     *
     * @param json holds a well-formed array from {@code start} to {@code end}
     * @throws MalformedRequestException if an item is not a name
     */
    List<IndexedNode> read(byte[] json, int start, int end) throws MalformedRequestException, IOException {
        var nodes = new ArrayList<IndexedNode>();
        for (var name : JSON.readTree(json, start, end - start)) {
            if (!name.isTextual() || name.textValue().isEmpty()) {
                throw new MalformedRequestException("NodeNames: an item is not a node's name");
            }
            nodes.add(index.node(name.textValue()));
        }
        return nodes;
    }
}
