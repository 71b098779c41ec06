package dev.trainyard.scaler.plan;

import java.util.ArrayList;
import java.util.List;

/** The supply of one planning pass: free room on nodes, on provisioning machines, and on machines that the pass requests. */
final class Supply {

    /** Nodes, by group. */
    private final List<Bins> nodes = new ArrayList<>();
    /** By pool: provisioning and new machines with pods planned onto them. */
    private final List<Bins> opened = new ArrayList<>();
    /** By pool: provisioning and new machines without pods. */
    private final List<Bins> untouched = new ArrayList<>();
    /** By pool: provisioning machines that are meant to stay idle. Pods use such machines only if the alternative is a new machine. */
    private final List<Bins> spare = new ArrayList<>();

    Supply(PlanningInput outlook, UndoLog journal) {
        var axes = outlook.axes();
        for (int group = 0; group < outlook.groups().size(); group++) {
            nodes.add(new Bins(axes, journal, outlook.stock().nodes(group)));
        }
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            opened.add(new Bins(axes, journal, List.of()));
            untouched.add(new Bins(axes, journal, outlook.stock().upcoming(pool)));
            spare.add(new Bins(axes, journal, List.of()));
        }
    }

    Bins nodes(int group) {
        return nodes.get(group);
    }

    Bins opened(int pool) {
        return opened.get(pool);
    }

    Bins untouched(int pool) {
        return untouched.get(pool);
    }

    Bins spare(int pool) {
        return spare.get(pool);
    }
}
