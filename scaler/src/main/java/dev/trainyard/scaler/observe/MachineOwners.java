package dev.trainyard.scaler.observe;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.Machine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** An index that maps each machine to the pool whose cloud lists it. Immutable. */
final class MachineOwners {

    private final Map<String, Pool> byProviderId = new HashMap<>();
    private final Map<String, Pool> byNodeName = new HashMap<>();

    private final Set<Pool> read = new HashSet<>();
    private final List<Machine> held = new ArrayList<>();

    private MachineOwners() {}

    /** @param readings readings by pool name; a pool that could not be read owns no machine */
    static MachineOwners of(SortedMap<String, Pool> pools, Map<String, PoolReading> readings) {
        var owners = new MachineOwners();
        pools.forEach((name, pool) -> readings.getOrDefault(name, PoolReading.UNREAD)
                .state()
                .ifPresent(state -> {
                    owners.read.add(pool);
                    state.machines().forEach(machine -> owners.add(machine, pool));
                }));
        return owners;
    }

    private void add(Machine machine, Pool pool) {
        byProviderId.put(lowerCase(machine.providerId()), pool);
        if (machine.nodeName() != null) {
            byNodeName.put(machine.nodeName(), pool);
        }
        if (machine.isHeld()) {
            held.add(machine);
        }
    }

    /** Returns the pool whose cloud lists a node's machine. Compares the provider IDs first, and then the node names. */
    Optional<Pool> ofNode(@Nullable String providerId, String name) {
        var listed = providerId == null ? null : byProviderId.get(lowerCase(providerId));
        return Optional.ofNullable(listed != null ? listed : byNodeName.get(name));
    }

    /** Whether the cloud terminates a node's machine once the machine is released. */
    boolean isHeld(@Nullable String providerId, String name) {
        return held.stream().anyMatch(machine -> machine.isOf(providerId, name));
    }

    /** Whether a pool was read, so that all its machines are known. */
    boolean isRead(Pool pool) {
        return read.contains(pool);
    }

    private static String lowerCase(String providerId) {
        return providerId.toLowerCase(Locale.ROOT);
    }
}
