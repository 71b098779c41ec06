package dev.trainyard.bench.extender;

import java.util.List;

/**
 * The scheduler's two requests about one pod.
 *
 * @param pod the pod's name, for messages
 * @param names the nodes in the filter request
 * @param left the nodes that the filter must let pass, which are the nodes in the prioritize request
 * @param filter body of the filter request
 * @param prioritize body of the prioritize request
 */
record ExtenderRequests(String pod, List<String> names, List<String> left, byte[] filter, byte[] prioritize) {

    byte[] body(Verb verb) {
        return verb == Verb.FILTER ? filter : prioritize;
    }

    List<String> names(Verb verb) {
        return verb == Verb.FILTER ? names : left;
    }
}
