package dev.trainyard.core.fit;

/**
 * A reason why a pod cannot run on a node.
 *
 * @param reason a text in the style of kube-scheduler's messages; equal causes have equal texts
 * @param curable whether the pod could fit after other pods leave the node
 */
public record Misfit(String reason, boolean curable) {

    static Misfit lacking(String resource, boolean curable) {
        return new Misfit(resource.equals("pods") ? "Too many pods" : "Insufficient " + resource, curable);
    }
}
