package dev.trainyard.bench.extender;

import java.util.List;

/**
 * What the scheduler asks about one pod.
 *
 * @param pod its name, for messages
 * @param names about which the filter is asked
 * @param left the names that it is to let pass, about which prioritize is asked then
 * @param filter body of the first request
 * @param prioritize body of the second
 */
record Question(String pod, List<String> names, List<String> left, byte[] filter, byte[] prioritize) {

    byte[] body(Verb verb) {
        return verb == Verb.FILTER ? filter : prioritize;
    }

    List<String> names(Verb verb) {
        return verb == Verb.FILTER ? names : left;
    }
}
