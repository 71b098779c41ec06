package dev.trainyard.emulator.aws;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request to AWS: an action and its parameters.
 *
 * @param action the name of the action, such as {@code SetDesiredCapacity}
 */
public record AwsRequest(String action, Map<String, String> parameters) {

    public AwsRequest {
        parameters = Map.copyOf(parameters);
    }

    static AwsRequest parse(String body) {
        var parameters = new TreeMap<String, String>();
        for (var pair : body.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                parameters.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return new AwsRequest(parameters.getOrDefault("Action", "none"), parameters);
    }

    /** Returns the value of a parameter; null if the request does not have it. */
    public @Nullable String parameter(String name) {
        return parameters.get(name);
    }

    String parameter(String name, String otherwise) {
        return parameters.getOrDefault(name, otherwise);
    }

    /** Returns the values of a list parameter, such as {@code Names.member.1=a&Names.member.2=b}. */
    List<String> members(String prefix) {
        var members = new ArrayList<String>();
        for (int i = 1; parameters.get(prefix + i) != null; i++) {
            members.add(parameters.getOrDefault(prefix + i, ""));
        }
        return members;
    }
}
