package dev.trainyard.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * kwok's simulation of nodes and pods, in place of kubelets.
 *
 * <p>All nodes are simulated. A node becomes Ready at once. kwok never changes the allocatable and capacity of a node: these come from the
 * node's creator or from a later patch. A pod starts soon after it is bound, and runs until it is deleted. Only pods of Jobs, and pods with
 * {@link #DURATION_ANNOTATION}, succeed after a set time.
 */
public final class SimulatedMachines {
    /** A pod annotation: the time for which the pod runs before it succeeds, such as {@code 30s} or {@code 1m30s}. */
    public static final String DURATION_ANNOTATION = "trainyard.dev/simulated-duration";

    /** A node annotation with any value: the node does not become Ready until the annotation is removed. */
    public static final String NOT_READY_ANNOTATION = "trainyard.dev/simulated-not-ready";

    private SimulatedMachines() {}

    /** Returns the text of kwok's configuration file. */
    static String configuration(ControlPlaneOptions options) {
        return resource("machines.yaml")
                .replace("${succeeded}", "|\n" + resource("pod-succeeded.tmpl").indent(6))
                .replace("${durationAnnotation}", DURATION_ANNOTATION)
                .replace("${notReadyAnnotation}", NOT_READY_ANNOTATION)
                .replace("${jobMillis}", Long.toString(options.jobDuration().toMillis()))
                .replace(
                        "${podStartMillis}",
                        Long.toString(options.podStartDelay().toMillis()));
    }

    private static String resource(String name) {
        try (InputStream file = SimulatedMachines.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("resource " + name + " is not in this build of Trainyard");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
