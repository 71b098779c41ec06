package dev.trainyard.bench.extender;

import java.util.List;

/**
 * The scheduler's requests about one pod.
 *
 * @param pod the pod's name, for messages
 * @param names the nodes in the choose request and in the filter request
 * @param left the nodes that the filter must let pass, which are the nodes in the prioritize request
 * @param filter body of the choose request and of the filter request
 * @param prioritize body of the prioritize request
 */
record ExtenderRequests(String pod, List<String> names, List<String> left, byte[] filter, byte[] prioritize) {

    byte[] body(Verb verb) {
        return verb == Verb.PRIORITIZE ? prioritize : filter;
    }

    List<String> names(Verb verb) {
        return verb == Verb.PRIORITIZE ? left : names;
    }
}
