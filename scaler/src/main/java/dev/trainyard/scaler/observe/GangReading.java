package dev.trainyard.scaler.observe;

import dev.trainyard.core.gang.GangClaim;
import dev.trainyard.core.gang.GangObject;
import dev.trainyard.core.gang.GangObjects;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The gangs of a round's pending pods.
 *
 * @param views the gangs of pending pods, by pod UID
 * @param members the members of these gangs, by {@link GangView#key}
 * @param begun the groups ({@link GangClaim#group}) that have a started pod
 */
record GangReading(Map<String, GangView> views, Map<String, GangMembers> members, Set<String> begun) {

    /**
     * A member of a gang in this round.
     *
     * @param isPending whether a machine is planned for the pod
     */
    private record Member(GangPod pod, GangView view, boolean isPending) {}

    /**
     * Reads the gangs.
     *
     * @param pods all pods that have a gang
     * @param pending the UIDs of the pods that machines are planned for
     */
    static GangReading of(Collection<GangPod> pods, Set<String> pending, GangObjects objects) {
        var groups = pods.stream()
                .filter(pod -> pending.contains(pod.uid()))
                .map(pod -> pod.claim().group())
                .collect(Collectors.toSet());
        var begun = pods.stream()
                .filter(pod -> groups.contains(pod.claim().group()) && !pending.contains(pod.uid()) && pod.hasStarted())
                .map(pod -> pod.claim().group())
                .collect(Collectors.toSet());
        // An object may be read while the round goes on. All pods must see the same state.
        var known = new HashMap<GangObject, GangObjects.Reading>();
        GangObjects once = object -> known.computeIfAbsent(object, objects::find);
        var gangs = new HashMap<String, List<Member>>();
        for (var pod : groups.isEmpty() ? List.<GangPod>of() : pods) {
            boolean isPending = pending.contains(pod.uid());
            if (isPending || (pod.serves() && groups.contains(pod.claim().group()))) {
                view(pod.claim(), pod.gated(), once)
                        .ifPresent(view -> gangs.computeIfAbsent(view.key(), key -> new ArrayList<>())
                                .add(new Member(pod, view, isPending)));
            }
        }
        var views = new HashMap<String, GangView>();
        var members = new HashMap<String, GangMembers>();
        gangs.forEach((gang, all) -> runs(gang, all)
                .forEach((key, run) -> run.forEach(member -> {
                    if (member.isPending()) {
                        views.put(member.pod().uid(), member.view().withKey(key));
                    }
                    var before = members.getOrDefault(key, GangMembers.NONE);
                    members.put(key, before.plus(member.pod(), member.isPending()));
                })));
        return new GangReading(views, members, begun);
    }

    /** Whether no pod of the gang has started. If the size of the gang is unknown, all pods of the group count. */
    boolean waits(GangView gang) {
        if (gang.isUnread()) {
            return !begun.contains(gang.key());
        }
        var all = members.get(gang.key());
        return all != null && !all.begun();
    }

    /** Returns the gang of a claim; empty if the pod has none as far as is known. */
    private static Optional<GangView> view(GangClaim claim, boolean gated, GangObjects objects) {
        if (claim instanceof GangClaim.Stated stated) {
            return Optional.of(GangView.of(stated.gang()));
        }
        if (claim instanceof GangClaim.Malformed malformed) {
            return Optional.of(GangView.invalid(claim, malformed.problem()));
        }
        var ofObject = (GangClaim.OfObject) claim;
        var reading = objects.find(ofObject.object());
        if (reading instanceof GangObjects.Found found) {
            try {
                return ofObject.reading()
                        .apply(found.object())
                        .map(GangView::of)
                        .or(() -> ofObject.otherwise()
                                .filter(other -> !(other instanceof GangClaim.Malformed))
                                .flatMap(other -> view(other, gated, objects)));
            } catch (IllegalArgumentException e) {
                return Optional.of(GangView.invalid(claim, "%s: %s".formatted(ofObject.object(), e.getMessage())));
            }
        }
        if (reading instanceof GangObjects.Unreadable unreadable && gated && unreadable.isTemporary()) {
            return Optional.of(
                    GangView.unread(claim, Optional.of(unreadable.reason()))); // a removed gate cannot be set again
        }
        if (reading instanceof GangObjects.Unreadable unreadable) {
            return ofObject.otherwise()
                    .flatMap(other -> other instanceof GangClaim.Malformed malformed
                            ? Optional.of(GangView.invalid(
                                    malformed, "%s; %s".formatted(malformed.problem(), unreadable.reason())))
                            : view(other, gated, objects));
        }
        return Optional.of(GangView.unread(claim, Optional.empty()));
    }

    /**
     * Splits the members of a gang into runs, by a new key for each run. A gang whose name its author chose may be of several controllers,
     * and a later one may have the same name. So two kinds of members are not counted for others: those of a Job that has as many pods as
     * the gang, and pods of ended controllers that have succeeded and are as many.
     */
    private static Map<String, List<Member>> runs(String gang, List<Member> members) {
        if (members.stream().noneMatch(member -> member.view().isStated())) {
            return Map.of(gang, members);
        }
        var byController = members.stream()
                .collect(Collectors.groupingBy(
                        member -> member.pod().controller().orElse("")));
        var runs = new HashMap<String, List<Member>>();
        var living = new ArrayList<Member>();
        var ended = new ArrayList<Member>();
        byController.forEach((controller, own) -> {
            if (byController.size() > 1 && own.get(0).pod().isOfJob() && isWhole(own)) {
                runs.put(gang + " " + controller, own);
            } else if (own.stream().anyMatch(member -> member.pod().lives())) {
                living.addAll(own);
            } else {
                ended.addAll(own);
            }
        });
        if (!isWhole(ended)) {
            living.addAll(ended);
        }
        runs.put(gang, living);
        return runs;
    }

    private static boolean isWhole(List<Member> members) {
        return members.stream()
                .allMatch(member -> members.size() >= member.view().size());
    }
}
