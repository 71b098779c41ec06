package dev.trainyard.scaler.page;

import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import java.util.List;

/**
 * The machines of one pool, as JSON.
 *
 * @param total the number of machines
 * @param machines the first machines by name, at most {@link #NAMED}
 */
record MachinesDocument(String pool, int total, List<MachineLine> machines) {

    static final int NAMED = 500;

    /** @param state the state of the machines to list; empty for all */
    static MachinesDocument of(ClusterStatus standing, String pool, String state) {
        var all = standing.machines().stream()
                .filter(machine -> machine.pool().equals(pool))
                .filter(machine -> state.isEmpty() || machine.state().equals(state))
                .toList();
        return new MachinesDocument(pool, all.size(), all.stream().limit(NAMED).toList());
    }
}
