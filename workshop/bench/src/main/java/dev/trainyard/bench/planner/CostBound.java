package dev.trainyard.bench.planner;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;

/**
 * A lower bound of the cost of any plan that places all pods and respects the pool order of their tiers.
 *
 * <p>The price of a pool's machine is divided among the machine's resources, for example a part for each core and a part for each GPU. The
 * value of a pod is the price of the resources that it requests. The pods on one machine are therefore together never worth more than the
 * machine. If a pod may use several pools, its lowest value over these pools is taken. The total value of the pods is then a lower bound of
 * the cost of their machines, for every division of the prices. A good division is found step by step: each step moves a part of the price
 * to scarce resources. The method is multiplicative weights, on the dual of the linear program that fills machines with fractions of pods.
 * Existing nodes cost a plan nothing, so the maximum value of their free resources is subtracted.
 */
final class CostBound {

    private static final int ROUNDS = 2000;
    private static final double STEP = 0.5;

    private final List<String> resources;
    private final List<PoolView> pools;
    private final double[] price;
    private final double[][] weight;
    private final double[][] summed;
    private final List<PodShape> shapes = new ArrayList<>();
    private final List<Integer> counts = new ArrayList<>();
    /** The indexes of the pools that may be scaled up for the pods of a shape, by index of the shape. */
    private final List<int[]> choices = new ArrayList<>();
    /**
     * The share of a machine's resource that a pod requests, by index of the shape, index in {@link #choices}, and index of the resource.
     */
    private final List<double[][]> measured = new ArrayList<>();
    /** The value of a pod of each shape, under the current division of prices. */
    private final double[] values;

    private final int[] chosen;

    private CostBound(Snapshot snapshot) {
        pools = List.copyOf(snapshot.pools().values());
        var folded = new HashMap<PodShape, Integer>();
        snapshot.waiting().forEach(pod -> folded.merge(pod.shape(), 1, Integer::sum));
        var names = new TreeSet<String>();
        folded.keySet().forEach(shape -> names.addAll(shape.requests().asMap().keySet()));
        resources = List.copyOf(names);
        folded.forEach((shape, count) -> {
            shapes.add(shape);
            counts.add(count);
            var choice = choices(shape, snapshot);
            choices.add(choice);
            measured.add(Arrays.stream(choice)
                    .mapToObj(pool -> measure(shape, pools.get(pool).template().allocatable()))
                    .toArray(double[][]::new));
        });
        price = pools.stream()
                .mapToDouble(pool -> pool.pool().hourlyPrice().orElseThrow().doubleValue())
                .toArray();
        summed = new double[pools.size()][resources.size()];
        weight = new double[pools.size()][resources.size()];
        for (var weights : weight) {
            Arrays.fill(weights, 1.0 / weights.length);
        }
        values = new double[shapes.size()];
        chosen = new int[shapes.size()];
    }

    /** Returns the bound for an hour, in the currency of the prices. */
    static double of(Snapshot snapshot) {
        var bound = new CostBound(snapshot);
        for (int round = 0; round < ROUNDS; round++) {
            bound.value(bound.weight);
            bound.updateWeights(STEP / Math.sqrt(1 + 0.05 * round));
        }
        return bound.value(bound.average()) - bound.savings(snapshot);
    }

    /**
     * Returns the pools for a shape. A pod of a tier uses the first pool that it fits, since no pool in these workloads reaches its
     * maximum.
     */
    private int[] choices(PodShape shape, Snapshot snapshot) {
        var tier = shape.tier() == null ? null : snapshot.catalogue().tiers().get(shape.tier());
        var fitting = new ArrayList<Integer>();
        for (int i = 0; i < pools.size(); i++) {
            var machine = pools.get(i).template();
            boolean kept =
                    tier == null && shape.gpus() == 0 && machine.allocatable().gpus() > 0;
            if (!kept && Fit.checkEmpty(shape, machine).isEmpty()) {
                fitting.add(i);
            }
        }
        if (tier == null) {
            return fitting.stream().mapToInt(i -> i).toArray();
        }
        var names = pools.stream().map(PoolView::name).toList();
        return tier.pools().stream()
                .map(pool -> names.indexOf(pool.name()))
                .filter(fitting::contains)
                .mapToInt(i -> i)
                .limit(1)
                .toArray();
    }

    private double[] measure(PodShape shape, Resources machine) {
        return resources.stream()
                .mapToDouble(resource -> {
                    long whole = machine.get(resource);
                    return whole == 0 ? 0 : (double) shape.requests().get(resource) / whole;
                })
                .toArray();
    }

    /** Returns the value of all pods, each in the pool in which its value is lowest. */
    private double value(double[][] weights) {
        double sum = 0;
        for (int shape = 0; shape < values.length; shape++) {
            values[shape] = Double.POSITIVE_INFINITY;
            for (int choice = 0; choice < choices.get(shape).length; choice++) {
                double worth = worth(shape, choice, weights);
                if (worth < values[shape]) {
                    values[shape] = worth;
                    chosen[shape] = choice;
                }
            }
            sum += counts.get(shape) * values[shape];
        }
        return sum;
    }

    private double worth(int shape, int choice, double[][] weights) {
        int pool = choices.get(shape)[choice];
        var shares = measured.get(shape)[choice];
        double worth = 0;
        for (int i = 0; i < shares.length; i++) {
            worth += weights[pool][i] * shares[i];
        }
        return worth * price[pool];
    }

    /**
     * Moves a part of each pool's price to the resources that the pool's pods request most. A pod counts for the pool in which its value is
     * lowest.
     */
    private void updateWeights(double step) {
        var used = new double[pools.size()][weight[0].length];
        for (int shape = 0; shape < values.length; shape++) {
            var shares = measured.get(shape)[chosen[shape]];
            var sums = used[choices.get(shape)[chosen[shape]]];
            for (int i = 0; i < shares.length; i++) {
                sums[i] += counts.get(shape) * shares[i];
            }
        }
        for (int pool = 0; pool < used.length; pool++) {
            double most = Arrays.stream(used[pool]).max().orElse(0);
            double sum = 0;
            for (int i = 0; most > 0 && i < used[pool].length; i++) {
                weight[pool][i] *= Math.exp(step * used[pool][i] / most);
                sum += weight[pool][i];
            }
            for (int i = 0; i < used[pool].length; i++) {
                weight[pool][i] /= most > 0 ? sum : 1;
                summed[pool][i] += weight[pool][i];
            }
        }
    }

    /**
     * Returns the division of each pool's price among the resources, averaged over all rounds. Unlike single divisions, the average does
     * not oscillate.
     */
    private double[][] average() {
        for (var weights : summed) {
            double sum = Arrays.stream(weights).sum();
            for (int i = 0; i < weights.length; i++) {
                weights[i] /= sum;
            }
        }
        return summed;
    }

    /** Returns an upper limit of the value of pods on the free resources of existing nodes. */
    private double savings(Snapshot snapshot) {
        return snapshot.nodes().stream().mapToDouble(this::savings).sum();
    }

    /**
     * Returns an upper limit of the value of pods on the free resources of a node. The free amount of each resource is valued at the
     * highest value per unit among the pods that fit. The limit is the least of these values.
     */
    private double savings(NodeView node) {
        var free = node.shape().allocatable().minus(node.used());
        if (free.isEmpty()) {
            return 0;
        }
        var dearest = new double[resources.size()];
        boolean any = false;
        for (int shape = 0; shape < values.length; shape++) {
            var requests = shapes.get(shape).requests();
            if (free.firstLacking(requests) == null) {
                any = true;
                for (int r = 0; r < dearest.length; r++) {
                    long asked = requests.get(resources.get(r));
                    dearest[r] = Math.max(dearest[r], asked > 0 ? values[shape] / asked : Double.POSITIVE_INFINITY);
                }
            }
        }
        double least = any ? Double.POSITIVE_INFINITY : 0;
        for (int r = 0; any && r < dearest.length; r++) {
            least = Math.min(least, dearest[r] * free.get(resources.get(r)));
        }
        return least;
    }
}
