package dev.trainyard.extender.wire;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the list of node names. There may be thousands, and reading them is most of the work that a question takes; so names are looked up
 * as the bytes that came. Names of nodes are plain (RFC 1123); a list with any other is read by the library.
 */
final class NameList {

    private static final ObjectReader STRINGS = new JsonMapper().readerFor(String[].class);

    private final NodeIndex index;

    NameList(NodeIndex index) {
        this.index = index;
    }

    /**
     * @param json has a well-formed array from {@code start} to {@code end}
     * @throws MalformedRequestException when something in it is not a name
     */
    List<IndexedNode> read(byte[] json, int start, int end) throws MalformedRequestException, IOException {
        var nodes = new ArrayList<IndexedNode>();
        int i = start + 1;
        while (i < end - 1) {
            byte next = json[i];
            if (next == '"') {
                int close = closeOf(json, i + 1);
                if (close < 0) {
                    return readAny(json, start, end);
                }
                nodes.add(index.node(json, i + 1, nonEmpty(close - i - 1)));
                i = close + 1;
            } else if (next == ',' || next == ' ' || next == '\n' || next == '\r' || next == '\t') {
                i++;
            } else {
                throw noName();
            }
        }
        return nodes;
    }

    /** Where the string ends; -1 when it is not plain. */
    private static int closeOf(byte[] json, int from) {
        for (int i = from; ; i++) {
            byte next = json[i];
            if (next == '"') {
                return i;
            }
            if (next < ' ' || next == '\\') { // beyond ASCII is below zero
                return -1;
            }
        }
    }

    private List<IndexedNode> readAny(byte[] json, int start, int end) throws MalformedRequestException, IOException {
        var nodes = new ArrayList<IndexedNode>();
        for (@Nullable String name : STRINGS.<@Nullable String[]>readValue(json, start, end - start)) {
            if (name == null) {
                throw noName();
            }
            nonEmpty(name.length());
            nodes.add(index.node(name));
        }
        return nodes;
    }

    private static int nonEmpty(int length) throws MalformedRequestException {
        if (length == 0) {
            throw noName();
        }
        return length;
    }

    private static MalformedRequestException noName() {
        return new MalformedRequestException("NodeNames: a node without a name");
    }
}
