package dev.trainyard.scaler.plan;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The requested resources, each with an index. Amounts are packed into arrays by this index, since planning adds and compares amounts
 * millions of times. GPUs have the first index. Packed amounts are never negative.
 */
final class ResourceIndex {

    /** The maximum number of resources to compare with each other. More resources would cost time for each additional pair. */
    private static final int COMPARED = 3;

    /** The resolution of a comparison: the number of steps from zero to the largest request. */
    private static final double STEPS = 1e6;

    private final List<String> names;
    private final double[] weights;

    private ResourceIndex(List<String> names, double[] weights) {
        this.names = names;
        this.weights = weights;
    }

    static ResourceIndex of(Collection<Resources> requests) {
        var names = new TreeSet<String>();
        requests.forEach(request -> names.addAll(request.asMap().keySet()));
        var ordered = new ArrayList<>(names);
        if (ordered.remove(ResourceNames.GPU)) {
            ordered.add(0, ResourceNames.GPU);
        }
        return new ResourceIndex(List.copyOf(ordered), weights(ordered, requests));
    }

    private static double[] weights(List<String> names, Collection<Resources> requests) {
        var weights = new double[names.size()];
        int compared = 0;
        for (int i = 0; i < weights.length && compared < COMPARED; i++) {
            var name = names.get(i);
            long most =
                    requests.stream().mapToLong(each -> each.get(name)).max().orElse(0);
            // The number of pods is left out: a machine runs out of another resource long before it reaches its maximum
            // number of pods.
            if (most > 0 && !name.equals(ResourceNames.PODS)) {
                weights[i] = STEPS / most;
                compared++;
            }
        }
        return weights;
    }

    /** Returns the factors that make amounts of different resources comparable; 0 for a resource that is not compared. */
    double[] weights() {
        return weights.clone();
    }

    int size() {
        return names.size();
    }

    /** Packs amounts into an array. Resources that no pod requests are left out; negative amounts become 0. */
    long[] pack(Resources resources) {
        var packed = new long[names.size()];
        for (int i = 0; i < packed.length; i++) {
            packed[i] = Math.max(0, resources.get(names.get(i)));
        }
        return packed;
    }

    /**
     * Returns how many times {@code request} fits into {@code free}.
     *
     * @return {@code Long.MAX_VALUE} if the request is empty
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

    /** Adds {@code request} to {@code sum} the given number of times. Amounts that are too large become {@code Long.MAX_VALUE}. */
    static void add(long[] sum, long[] request, long times) {
        for (int i = 0; i < sum.length; i++) {
            boolean fits = Math.multiplyHigh(request[i], times) == 0 && request[i] * times >= 0;
            long more = fits ? request[i] * times : Long.MAX_VALUE;
            sum[i] = sum[i] + more < 0 ? Long.MAX_VALUE : sum[i] + more;
        }
    }

    /** Subtracts {@code request} from {@code free} the given number of times. */
    static long[] minus(long[] free, long[] request, long times) {
        var left = free.clone();
        for (int i = 0; i < left.length; i++) {
            left[i] -= request[i] * times;
        }
        return left;
    }

    /**
     * Returns the greatest share that {@code part} takes of any resource of {@code whole}; at most 1 if {@code part} fits into {@code
     * whole}. Resources that {@code whole} lacks are ignored.
     */
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
