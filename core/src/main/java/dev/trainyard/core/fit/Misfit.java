package dev.trainyard.core.fit;

/**
 * Why a pod cannot run on a node.
 *
 * @param reason the kube-scheduler's own words, so that users see one vocabulary; constant for equal causes
 * @param curable whether pods leaving the node could cure it
 */
public record Misfit(String reason, boolean curable) {

    static Misfit lacking(String resource, boolean curable) {
        return new Misfit(resource.equals("pods") ? "Too many pods" : "Insufficient " + resource, curable);
    }
}
