package dev.trainyard.scaler.plan;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The resources that anybody asks for, each with a place in an array: planning adds and compares amounts millions of times. GPUs come first.
 * Packed amounts are never negative.
 */
final class Axes {

    private final List<String> names;

    private Axes(List<String> names) {
        this.names = names;
    }

    static Axes of(Collection<Resources> requests) {
        var names = new TreeSet<String>();
        requests.forEach(request -> names.addAll(request.asMap().keySet()));
        var ordered = new ArrayList<>(names);
        if (ordered.remove(ResourceNames.GPU)) {
            ordered.add(0, ResourceNames.GPU);
        }
        return new Axes(List.copyOf(ordered));
    }

    int size() {
        return names.size();
    }

    /** What nobody asks for is left out; less than nothing is nothing. */
    long[] pack(Resources resources) {
        var packed = new long[names.size()];
        for (int i = 0; i < packed.length; i++) {
            packed[i] = Math.max(0, resources.get(names.get(i)));
        }
        return packed;
    }

    /**
     * How many times {@code request} fits into {@code free}.
     *
     * @return {@code Long.MAX_VALUE} when it asks for nothing
     */
    static long times(long[] free, long[] request) {
        long times = Long.MAX_VALUE;
        for (int i = 0; i < request.length; i++) {
            if (request[i] > 0) {
                times = Math.min(times, free[i] / request[i]);
            }
        }
        return times;
    }

    static boolean holds(long[] free, long[] request) {
        for (int i = 0; i < request.length; i++) {
            if (free[i] < request[i]) {
                return false;
            }
        }
        return true;
    }

    /** What is left of {@code free} when it holds {@code request} that often. */
    static long[] minus(long[] free, long[] request, long times) {
        var left = free.clone();
        for (int i = 0; i < left.length; i++) {
            left[i] -= request[i] * times;
        }
        return left;
    }

    /** The greatest share of {@code whole} that {@code part} takes; at most 1 where it fits. What there is none of is not looked at. */
    static double dominantShare(long[] part, long[] whole) {
        double share = 0;
        for (int i = 0; i < part.length; i++) {
            if (whole[i] > 0) {
                share = Math.max(share, (double) part[i] / whole[i]);
            }
        }
        return share;
    }
}
