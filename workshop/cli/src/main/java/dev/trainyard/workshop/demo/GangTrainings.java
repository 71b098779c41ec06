package dev.trainyard.workshop.demo;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The gangs of a namespace whose tier starts gangs whole, with methods that wait for their start and check how they started. */
final class GangTrainings {

    private final Stage stage;
    private final String namespace;
    private final int size;

    /** @param size the number of pods of each gang */
    GangTrainings(Stage stage, String namespace, int size) {
        this.stage = stage;
        this.namespace = namespace;
        this.size = size;
    }

    /**
     * Waits until one of these gangs has started: all of its pods have got a node.
     *
     * @return the name of the gang
     */
    String expectOneStarts(String... gangs) {
        var names = List.of(gangs);
        stage.expect(
                "all %d pods of gang %s have nodes".formatted(size, String.join(" or ", names)),
                () -> names.stream().anyMatch(gang -> placed(gang) == size)
                        ? Optional.empty()
                        : Optional.of("pods with a node: "
                                + names.stream()
                                        .map(gang -> "%d of gang %s".formatted(placed(gang), gang))
                                        .toList()));
        return names.stream().filter(gang -> placed(gang) == size).findFirst().orElseThrow();
    }

    /** Fails unless all pods of a gang still have the scheduling gate. Returns the name of one of these pods. */
    String checkHeld(String gang) {
        var held = stage.pods(namespace).stream()
                .filter(pod ->
                        GangPlacements.gangNameOf(pod).filter(gang::equals).isPresent())
                .filter(GangTrainings::isHeld)
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
        stage.check(
                "all pods of gang %s have the scheduling gate %s while it has no room".formatted(gang, Names.GANG_GATE),
                held.size() == size,
                "%d of %d pods have it".formatted(held.size(), size));
        return held.get(0);
    }

    /** Fails if a part of the gang had nodes without the others. */
    void checkStartedWhole(String gang) {
        var problem = placement(gang).problem(size);
        stage.check("gang %s starts whole".formatted(gang), problem.isEmpty(), problem.orElse(""));
    }

    /** Fails if pods of other gangs ran when the gang started. */
    void checkStartedAfterOthers(String gang) {
        int others = placement(gang).others();
        stage.check(
                "gang %s starts after the other gang has completed".formatted(gang),
                others == 0,
                "%d pods of the other gang ran when gang %s started".formatted(others, gang));
    }

    /** Returns how the gang started, as a clause. */
    String start(String gang) {
        return String.format(
                Locale.ROOT,
                "all %d pods of %s got nodes within %.2f s",
                size,
                gang,
                placement(gang).inPart().toMillis() / 1000.0);
    }

    private int placed(String gang) {
        return stage.observer()
                .gangs()
                .of(namespace, gang)
                .map(GangPlacement::placed)
                .orElse(0);
    }

    private GangPlacement placement(String gang) {
        return stage.observer()
                .gangs()
                .of(namespace, gang)
                .orElseThrow(() -> new ExpectationException("no pod of gang %s got a node".formatted(gang)));
    }

    private static boolean isHeld(Pod pod) {
        return pod.getSpec().getSchedulingGates().stream()
                .anyMatch(gate -> gate.getName().equals(Names.GANG_GATE));
    }
}
