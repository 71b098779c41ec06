package dev.trainyard.cli.check;

import dev.trainyard.core.Trap;
import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Standing.WaitingLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Pending pods for which no machine is to come, with or without a tier, by reason. */
final class PendingPodsCheck implements Check {

    private static final String ABOUT = "pending pods";

    /** Younger ones may only be new. */
    private static final int OLD_SECONDS = 60;

    private static final int NAMED = 3;

    @Override
    public List<Finding> look(Seen seen) {
        return seen.scheduling().standing().findings(ABOUT, PendingPodsCheck::look);
    }

    private static List<Finding> look(Standing standing) {
        var byReason = new LinkedHashMap<String, List<WaitingLine>>();
        standing.waiting().stream()
                .filter(pod -> !pod.isProvidedFor() && pod.waitingSeconds() >= OLD_SECONDS)
                .forEach(pod -> byReason.computeIfAbsent(pod.reason(), reason -> new ArrayList<>())
                        .add(pod));
        return byReason.isEmpty()
                ? List.of(Finding.ok(ABOUT, "none has been pending for a minute without a machine to come"))
                : byReason.entrySet().stream().map(PendingPodsCheck::finding).toList();
    }

    private static Finding finding(Map.Entry<String, List<WaitingLine>> group) {
        var pods = group.getValue();
        var names = Finding.first(NAMED, pods.stream().map(WaitingLine::pod).toList());
        return Finding.warning(
                        ABOUT, "%d (%s) pending, and not served: %s".formatted(pods.size(), names, group.getKey()))
                .todo("'kubectl describe pod' has the Events of each")
                .see(Trap.FITS_NO_POOL);
    }
}
