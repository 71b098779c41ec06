package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Function;

/** A page of a list. */
final class Page {

    private static final String TOKEN = "$skiptoken";

    private Page() {}

    /**
     * Returns the page of {@code all} that the request asks for.
     *
     * @param address the URL of the list, with at least one query parameter
     */
    static <T> ArmAnswer of(
            List<T> all, Function<T, ObjectNode> description, ArmRequest request, int pageSize, String address) {
        int from = Math.min(all.size(), Integer.parseInt(request.query().getOrDefault(TOKEN, "0")));
        int to = Math.min(all.size(), from + pageSize);
        var body = ArmRequest.JSON.createObjectNode();
        var value = body.putArray("value");
        all.subList(from, to).forEach(one -> value.add(description.apply(one)));
        if (to < all.size()) {
            body.put("nextLink", "%s&%s=%d&api-version=2025-04-01".formatted(address, TOKEN, to));
        }
        return ArmAnswer.of(200, body);
    }
}
