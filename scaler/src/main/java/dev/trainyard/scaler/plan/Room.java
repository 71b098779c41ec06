package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.PoolView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Places where pods can go. Equal places are kept as one with a number, so that filling a thousand new machines with a thousand equal pods
 * is one step.
 */
final class Room {

    /** Where places come from. */
    enum Origin {
        /** A node that pods can be bound to, at once or when the scaler takes back its cordon. */
        NODE,
        /** A machine that has been asked for. */
        UPCOMING,
        /** A machine that this plan asks for. */
        NEW
    }

    /**
     * Equal places.
     *
     * @param pool the pool they belong to; empty: none
     * @param node the name of the node, when it is one that exists; empty for machines that are yet to come
     * @param free what is left in each
     */
    record Place(NodeShape shape, Origin origin, String pool, String node, Resources free, int count) {

        Place withCount(int changed) {
            return new Place(shape, origin, pool, node, free, changed);
        }

        /** Empty machines of a pool that have no node yet. */
        static Place machines(PoolView pool, Origin origin, int count) {
            return new Place(
                    pool.template(), origin, pool.name(), "", pool.template().allocatable(), count);
        }
    }

    /** That many pods went to places like this. */
    record Taken(Place place, int pods) {}

    private final List<Place> places = new ArrayList<>();

    void add(Place place) {
        if (place.count() > 0) {
            places.add(place);
        }
    }

    /** Takes that many places away, the last ones first. */
    Room setAside(int number) {
        var aside = new Room();
        int left = number;
        for (int i = places.size() - 1; i >= 0 && left > 0; i--) {
            var place = places.get(i);
            int moved = Math.min(left, place.count());
            aside.add(place.withCount(moved));
            places.remove(i);
            if (place.count() > moved) {
                places.add(i, place.withCount(place.count() - moved));
            }
            left -= moved;
        }
        return aside;
    }

    /** How many places there are, equal ones counted. */
    int size() {
        return places.stream().mapToInt(Place::count).sum();
    }

    /**
     * Puts up to {@code pods} pods into places that {@code allowed} lets them use, in the order of the places.
     *
     * @param opened receives what is left of the places that were taken; may be this room itself
     */
    List<Taken> take(PodShape pod, int pods, Predicate<Place> allowed, Room opened) {
        var taken = new ArrayList<Taken>();
        var rest = new ArrayList<Place>();
        var used = new ArrayList<Place>();
        int left = pods;
        for (var place : places) {
            long each = left > 0 && allowed.test(place) ? holds(place, pod) : 0;
            if (each == 0) {
                rest.add(place);
                continue;
            }
            int full = (int) Math.min(place.count(), left / each);
            int partly = full < place.count() && left - full * each > 0 ? (int) (left - full * each) : 0;
            addTo(used, place, full, pod.requests().times(each));
            addTo(used, place, partly > 0 ? 1 : 0, pod.requests().times(partly));
            addTo(rest, place, place.count() - full - (partly > 0 ? 1 : 0), Resources.NONE);
            int here = (int) (full * each) + partly;
            taken.add(new Taken(place, here));
            left -= here;
        }
        places.clear();
        places.addAll(rest);
        opened.places.addAll(used);
        return taken;
    }

    /** How many such pods one of these places holds. */
    static long holds(Place place, PodShape pod) {
        return Fit.checkPlacement(pod, place.shape()).isPresent()
                ? 0
                : place.free().timesHolding(pod.requests());
    }

    private static void addTo(List<Place> list, Place place, int count, Resources less) {
        if (count > 0) {
            list.add(new Place(
                    place.shape(),
                    place.origin(),
                    place.pool(),
                    place.node(),
                    place.free().minus(less),
                    count));
        }
    }
}
