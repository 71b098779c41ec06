package dev.trainyard.bench.scoring.trace;

import dev.trainyard.bench.process.BenchException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Pods in their order of arrival: the pods of the trace shuffled, and then, if necessary, more pods of the trace drawn at random. Together
 * the pods request {@value #PERCENT} % of all GPUs. The published FGD experiment did the same (Weng et al., USENIX ATC'23).
 *
 * @param seed seed of the order; equal traces and seeds give equal orders
 */
public record Arrivals(long seed, List<TraceShape> pods) {

    /** GPU requests of all pods together, in percent of all GPUs. */
    public static final int PERCENT = 130;

    public Arrivals {
        pods = List.copyOf(pods);
    }

    /**
     * Draws the order in which pods of a trace arrive.
     *
     * @throws BenchException if no pod requests GPUs, because the requested total would never be reached
     */
    public static Arrivals of(Trace trace, long seed) {
        if (trace.pods().stream().allMatch(pod -> pod.shape().gpus() == 0)) {
            throw new BenchException(
                    "trace %s: no remaining pod requests GPUs (num_gpu); expected a trace of a GPU cluster"
                            .formatted(trace.name()));
        }
        var random = new Random(seed);
        var shuffled = new ArrayList<>(trace.pods());
        Collections.shuffle(shuffled, random);
        long enough = trace.capacityMilli() * PERCENT / 100;
        var pods = new ArrayList<TraceShape>();
        for (long asked = 0; asked < enough; ) {
            int next = pods.size() < shuffled.size() ? pods.size() : random.nextInt(shuffled.size());
            var shape = shuffled.get(next).shape();
            pods.add(shape);
            asked += shape.totalMilli();
        }
        return new Arrivals(seed, pods);
    }

    /** Returns the SHA-256 of all input of the replays, in hexadecimal digits. Equal experiments have equal digests. */
    public static String digest(Trace trace, List<Arrivals> orders) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            trace.nodes().forEach(node -> sha.update((node + "\n").getBytes(StandardCharsets.UTF_8)));
            for (var order : orders) {
                sha.update(("seed " + order.seed() + "\n").getBytes(StandardCharsets.UTF_8));
                order.pods().forEach(pod -> sha.update((pod + "\n").getBytes(StandardCharsets.UTF_8)));
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }
}
