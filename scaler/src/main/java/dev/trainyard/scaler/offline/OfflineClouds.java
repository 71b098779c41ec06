package dev.trainyard.scaler.offline;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The assumed answers of clouds. Every node has a machine. The status of a pool states how many machines were requested; if there is no
 * status, the number of the pool's nodes is used.
 */
final class OfflineClouds {

    private OfflineClouds() {}

    /** Returns the assumed answer for each valid pool, by name of the pool. */
    static Map<String, PoolReading> read(
            Catalogue catalogue, Collection<TrainingPool> pools, List<Node> nodes, Instant now) {
        var readings = new HashMap<String, PoolReading>();
        for (var pool : pools) {
            var name = pool.getMetadata().getName();
            if (catalogue.pools().containsKey(name)) {
                var mine = nodesOf(name, nodes);
                readings.put(name, PoolReading.of(state(name, target(pool, mine.size()), mine, now)));
            }
        }
        return readings;
    }

    static int target(TrainingPool pool, int nodes) {
        return Optional.ofNullable(pool.getStatus())
                .map(status -> status.target())
                .orElse(nodes);
    }

    static List<Node> nodesOf(String pool, List<Node> nodes) {
        return nodes.stream()
                .filter(node -> node.getMetadata().getLabels() != null
                        && pool.equals(node.getMetadata().getLabels().get(Names.POOL)))
                .toList();
    }

    private static PoolState state(String pool, int target, List<Node> nodes, Instant now) {
        var machines = new ArrayList<Machine>();
        // The target does not include machines whose termination the cloud has accepted. So the excess of nodes over
        // the target is the number of such machines.
        int going = nodes.size() - target;
        for (var node : nodes) {
            boolean ordered = Optional.ofNullable(node.getMetadata().getAnnotations())
                    .filter(annotations -> annotations.containsKey(ScalerAnnotations.TERMINATING))
                    .isPresent();
            var state = ordered && going-- > 0 ? Machine.State.DELETING : Machine.State.RUNNING;
            machines.add(machine(pool, node, state, now));
        }
        return new PoolState(target, machines, List.of());
    }

    private static Machine machine(String pool, Node node, Machine.State state, Instant now) {
        var name = node.getMetadata().getName();
        var providerId = node.getSpec() == null ? null : node.getSpec().getProviderID();
        var created = node.getMetadata().getCreationTimestamp();
        return new Machine(
                name,
                providerId == null || providerId.isEmpty() ? "unknown://%s/%s".formatted(pool, name) : providerId,
                name,
                state,
                created == null ? now : Instant.parse(created));
    }
}
