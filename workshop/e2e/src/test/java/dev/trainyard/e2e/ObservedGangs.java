package dev.trainyard.e2e;

import dev.trainyard.workshop.cluster.TestCluster;
import dev.trainyard.workshop.demo.GangPlacement;
import dev.trainyard.workshop.demo.GangPlacements;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The gangs of a namespace, observed by a watch of its pods from now on. */
final class ObservedGangs implements AutoCloseable {

    private final String namespace;
    private final GangPlacements placements = new GangPlacements();
    private final SharedIndexInformer<Pod> pods;

    private ObservedGangs(TestCluster testCluster, String namespace, Consumer<Pod> changed) {
        this.namespace = namespace;
        long start = System.nanoTime();
        this.pods = testCluster.client().pods().inNamespace(namespace).inform(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Pod pod) {
                placements.changed(pod, Duration.ofNanos(System.nanoTime() - start));
                changed.accept(pod);
            }

            @Override
            public void onUpdate(Pod before, Pod after) {
                onAdd(after);
            }

            @Override
            public void onDelete(Pod pod, boolean finalStateUnknown) {
                placements.removed(pod);
            }
        });
    }

    static ObservedGangs of(TestCluster testCluster, TrainingGround ground) {
        return of(testCluster, ground, pod -> {});
    }

    /** @param changed receives each new state of a pod, in a thread of the watch */
    static ObservedGangs of(TestCluster testCluster, TrainingGround ground, Consumer<Pod> changed) {
        return new ObservedGangs(testCluster, ground.namespace(), changed);
    }

    /** Waits until the watch has seen at least this many pods of the gang with a node. */
    GangPlacement awaitPlaced(String gang, int pods) {
        return TrainingGround.await(
                "%d pods of gang %s have a node".formatted(pods, gang),
                () -> placements.of(namespace, gang).filter(placement -> placement.placed() >= pods));
    }

    /** Waits until all pods of one of these gangs have a node, and returns the gang's name. */
    String awaitOne(List<String> gangs, int size) {
        return TrainingGround.await(
                "all pods of one of the gangs %s have a node".formatted(gangs),
                () -> gangs.stream()
                        .filter(gang -> placements
                                .of(namespace, gang)
                                .filter(placement -> placement.placed() >= size)
                                .isPresent())
                        .findFirst());
    }

    @Override
    public void close() {
        pods.close();
    }
}
