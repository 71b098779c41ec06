package dev.trainyard.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * What kwok does with nodes and pods in place of kubelets.
 *
 * <p>Every node is played. It becomes Ready at once; its allocatable and capacity are what its creator, or a later patch
 * of its status, says, and are never touched. A pod runs soon after it is bound. It runs until it is deleted, unless it
 * belongs to a Job or carries {@link #DURATION_ANNOTATION}: then it succeeds after some time.
 */
public final class SimulatedMachines {
    /** On a pod: how long it runs before it succeeds, such as {@code 30s} or {@code 1m30s}. */
    public static final String DURATION_ANNOTATION = "trainyard.dev/simulated-duration";

    /** On a node, with any value: it does not become Ready. Removing it lets the node become Ready. */
    public static final String NOT_READY_ANNOTATION = "trainyard.dev/simulated-not-ready";

    private SimulatedMachines() {}

    /** The text of kwok's configuration file. */
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
