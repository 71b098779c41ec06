package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.GangMark;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The check for gangs that cannot be planned now, because the gangs are incomplete or invalid. */
final class Gangs {

    private Gangs() {}

    /**
     * Returns, by pod uid, why a pod is left out of planning.
     *
     * @param plannable the pods that no other check has left out
     * @param serving by gang: how many of its pods need no machine, because they have a node or have succeeded
     */
    static Map<String, Unplaced> unready(List<PendingPod> plannable, Map<String, Integer> serving) {
        var unready = new HashMap<String, Unplaced>();
        var gangs = new HashMap<String, List<PendingPod>>();
        for (var pod : plannable) {
            var mark = pod.gang();
            if (mark.isEmpty()) {
                continue;
            }
            var gang = mark.get().gang();
            if (gang == null || mark.get().malformed().isPresent()) {
                unready.put(pod.uid(), because(mark.get().malformed().orElse("")));
            } else {
                gangs.computeIfAbsent(gang, name -> new ArrayList<>()).add(pod);
            }
        }
        gangs.forEach((gang, members) -> {
            var sizes = new TreeSet<Integer>();
            members.forEach(
                    member -> sizes.add(member.gang().map(GangMark::size).orElse(0)));
            int present = members.size() + serving.getOrDefault(gang, 0);
            if (sizes.size() > 1) {
                var why = because("gang %s cannot be planned, because its pods state different sizes: %s"
                        .formatted(gang, sizes.stream().map(String::valueOf).collect(Collectors.joining(" and "))));
                members.forEach(member -> unready.put(member.uid(), why));
            } else if (present < sizes.first()) {
                var why = because("its gang %s has %d of %d pods; machines are launched for all of them or for none"
                        .formatted(gang, present, sizes.first()));
                members.forEach(member -> unready.put(member.uid(), why));
            }
        });
        return unready;
    }

    private static Unplaced because(String why) {
        return new Unplaced(Reason.GANG, why);
    }
}
