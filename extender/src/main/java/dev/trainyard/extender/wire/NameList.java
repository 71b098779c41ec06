package dev.trainyard.extender.wire;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A reader of the list of node names in a request. There may be thousands of names, and reading them is most of the work, so names are
 * looked up by the received bytes. Names of nodes are plain ASCII (RFC 1123). If a list has any other name, the JSON library reads the
 * list.
 */
final class NameList {

    private static final ObjectReader JSON = new JsonMapper().reader();

    private static final int SHORT_NAME = 20; // with its quotation marks and comma

    private final NodeIndex index;

    NameList(NodeIndex index) {
        this.index = index;
    }

    /**
     * Reads a list of node names.
     *
     * @param json holds a well-formed array from {@code start} to {@code end}
     * @throws MalformedRequestException if an item is not a name
     */
    List<IndexedNode> read(byte[] json, int start, int end) throws MalformedRequestException, IOException {
        var nodes = new ArrayList<IndexedNode>((end - start) / SHORT_NAME);
        int i = start + 1;
        while (i < end - 1) {
            byte next = json[i];
            if (next == '"') {
                int from = ++i;
                int hash = 0; // the same as String.hashCode
                for (next = json[i]; next != '"'; next = json[++i]) {
                    if (next < ' ' || next == '\\') { // bytes beyond ASCII are negative
                        return readAny(json, start, end);
                    }
                    hash = 31 * hash + next;
                }
                nonEmpty(i - from);
                nodes.add(index.node(json, from, i++, hash));
            } else if (next == ',' || next == ' ' || next == '\n' || next == '\r' || next == '\t') {
                i++;
            } else {
                throw noName();
            }
        }
        return nodes;
    }

    private List<IndexedNode> readAny(byte[] json, int start, int end) throws MalformedRequestException, IOException {
        var nodes = new ArrayList<IndexedNode>();
        for (var name : JSON.readTree(json, start, end - start)) {
            if (!name.isTextual()) {
                throw noName();
            }
            nonEmpty(name.textValue().length());
            nodes.add(index.node(name.textValue()));
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
        return new MalformedRequestException("NodeNames: an item is not a node's name");
    }
}
