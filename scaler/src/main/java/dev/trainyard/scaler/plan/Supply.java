package dev.trainyard.scaler.plan;

import java.util.ArrayList;
import java.util.List;

/** The room there is in one pass of planning: on nodes, on machines to come, and on those that the pass buys. */
final class Supply {

    /** By group of nodes. */
    private final List<Bins> nodes = new ArrayList<>();
    /** By pool, as all that follow: machines to come that pods have been put on. */
    private final List<Bins> opened = new ArrayList<>();
    /** Machines to come that no pods have been put on yet. */
    private final List<Bins> untouched = new ArrayList<>();
    /** Machines to come that are meant to stay idle; taken only when nothing else that was paid for will do. */
    private final List<Bins> spare = new ArrayList<>();

    Supply(Outlook outlook, Journal journal) {
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
