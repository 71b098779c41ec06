package dev.trainyard.webhook.checkpoint;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.tier.Tier.Checkpoint;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Container;
import dev.trainyard.webhook.pod.MutationNotes;
import dev.trainyard.webhook.volume.Mounts;
import java.util.List;

/** The addition of time to save a checkpoint, and of a file that announces the end of the machine. */
public final class CheckpointSupport {

    /** The API server's default for {@code terminationGracePeriodSeconds}. */
    private static final int DEFAULT_GRACE_SECONDS = 30;

    private static final JsonPointer GRACE = JsonPointer.compile("/spec/terminationGracePeriodSeconds");
    private static final AnnotationsFile FILE = new AnnotationsFile();

    private CheckpointSupport() {}

    /**
     * Raises the grace period of a pod, and mounts the annotations file.
     *
     * @param withGpu the containers that request a GPU. If there are none, all containers except init containers get the file
     */
    public static void complete(Draft pod, List<Container> withGpu, Checkpoint checkpoint, MutationNotes notes) {
        if (!checkpoint.grace().isZero()) {
            raise(pod, Math.toIntExact(checkpoint.grace().toSeconds()), notes); // a tier allows at most a day
        }
        if (checkpoint.annotationsFile()) {
            mount(
                    pod,
                    withGpu.isEmpty()
                            ? Container.of(pod).stream()
                                    .filter(container -> !container.isInit())
                                    .toList()
                            : withGpu,
                    notes);
        }
    }

    private static void raise(Draft pod, int seconds, MutationNotes notes) {
        if (pod.at(GRACE).asLong(DEFAULT_GRACE_SECONDS) < seconds) {
            pod.put(GRACE, JsonNodeFactory.instance.numberNode(seconds));
        }
        notes.given("at least %ds to save a checkpoint".formatted(seconds));
    }

    private static void mount(Draft pod, List<Container> containers, MutationNotes notes) {
        int there = 0;
        for (var container : containers) {
            there += Mounts.complete(pod, container, FILE, notes) ? 1 : 0;
        }
        if (there > 0) {
            notes.given(FILE.content() + (there == containers.size() ? "" : " in some containers"));
        }
    }
}
