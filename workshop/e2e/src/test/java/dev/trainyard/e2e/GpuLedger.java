package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A check of the GPUs in use on every node after each change of a pod, in the API server's order. The pods of a node must not exceed its
 * GPUs even for a moment.
 */
final class GpuLedger implements ResourceEventHandler<Pod>, AutoCloseable {

    private final Map<String, Integer> gpusOfNodes;
    private final Map<String, Pod> placed = new HashMap<>();
    /** UIDs of pods that were ever seen on a node, including ended ones. */
    private final Set<String> seen = new HashSet<>();

    private final List<String> wrong = new ArrayList<>();
    private final SharedIndexInformer<Pod> informer;

    private GpuLedger(KubernetesClient client, String namespace, Map<String, Integer> gpusOfNodes) {
        this.gpusOfNodes = Map.copyOf(gpusOfNodes);
        this.informer = client.pods().inNamespace(namespace).inform(this);
    }

    /** @param gpusOfNodes GPUs of every node that pods of the namespace can use */
    static GpuLedger open(TestFleet fleet, KubernetesClient client, Map<String, Integer> gpusOfNodes) {
        return new GpuLedger(client, fleet.namespace(), gpusOfNodes);
    }

    static int gpusOf(Pod pod) {
        return pod.getSpec().getContainers().stream()
                .map(container -> container.getResources().getRequests().get("nvidia.com/gpu"))
                .mapToInt(gpus ->
                        gpus == null ? 0 : Quantity.getAmountInBytes(gpus).intValue())
                .sum();
    }

    @Override
    public synchronized void onAdd(Pod pod) {
        var phase = pod.getStatus().getPhase();
        if (pod.getSpec().getNodeName() != null) {
            seen.add(pod.getMetadata().getUid());
        }
        if (pod.getSpec().getNodeName() == null || phase.equals("Succeeded") || phase.equals("Failed")) {
            placed.remove(pod.getMetadata().getUid());
        } else if (placed.put(pod.getMetadata().getUid(), pod) == null) {
            check(pod.getSpec().getNodeName());
        }
    }

    @Override
    public void onUpdate(Pod before, Pod after) {
        onAdd(after);
    }

    @Override
    public synchronized void onDelete(Pod pod, boolean deletedFinalStateUnknown) {
        placed.remove(pod.getMetadata().getUid());
    }

    /**
     * Checks that no node was ever over-committed.
     *
     * @param pods pods that the ledger must have seen on a node before the check
     */
    void assertNothingOverCommitted(List<Pod> pods) {
        TrainingGround.awaitTrue("the ledger has all pods that are placed", () -> hasSeen(pods));
        synchronized (this) {
            assertThat(wrong).isEmpty();
        }
    }

    @Override
    public void close() {
        informer.close();
    }

    private synchronized boolean hasSeen(List<Pod> pods) {
        return pods.stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .allMatch(pod -> seen.contains(pod.getMetadata().getUid()));
    }

    private void check(String node) {
        var pods = placed.values().stream()
                .filter(pod -> pod.getSpec().getNodeName().equals(node))
                .toList();
        int taken = pods.stream().mapToInt(GpuLedger::gpusOf).sum();
        if (taken > gpusOfNodes.getOrDefault(node, 0)) {
            wrong.add("%s has %d GPUs, and pods with %d of them: %s"
                    .formatted(
                            node,
                            gpusOfNodes.getOrDefault(node, 0),
                            taken,
                            pods.stream()
                                    .map(pod -> pod.getMetadata().getName())
                                    .toList()));
        }
    }
}
