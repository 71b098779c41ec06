package dev.trainyard.bench.reaction;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * The times from the notice of a reclaim to the scaler's actions. Times are in milliseconds.
 *
 * @param request time from the sign on the node to the scaler's request for the replacement
 * @param eviction time from the sign on the node to the eviction of the pod, whose kubelet then sends SIGTERM
 * @param checkpoints which checkpoints end in time
 */
public record NoticeReaction(Times request, Times eviction, List<Checkpoints> checkpoints) {

    private static final List<Duration> NOTICES =
            List.of(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(120));

    private static final List<Duration> CHECKPOINTS =
            List.of(Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(90));

    /** The scaler lets a grace period end this long before the deadline ({@code docs/spot.md}). */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    public NoticeReaction {
        checkpoints = List.copyOf(checkpoints);
    }

    /**
     * The share of pods that could save a checkpoint.
     *
     * @param notice the assumed time from the sign on the node to the end of the machine, in seconds
     * @param checkpoint the assumed time to save a checkpoint, in seconds
     * @param share the share of the measured evictions that left this much time, from 0 to 1
     */
    public record Checkpoints(long notice, long checkpoint, double share) {}

    /**
     * @param request measured times, in nanoseconds
     * @param eviction measured times, in nanoseconds
     */
    static NoticeReaction of(long[] request, long[] eviction) {
        return new NoticeReaction(
                Times.of(request),
                Times.of(eviction),
                NOTICES.stream()
                        .flatMap(notice -> CHECKPOINTS.stream().map(checkpoint -> share(notice, checkpoint, eviction)))
                        .toList());
    }

    private static Checkpoints share(Duration notice, Duration checkpoint, long[] eviction) {
        long latest = notice.minus(MARGIN).minus(checkpoint).toNanos();
        long inTime = Arrays.stream(eviction).filter(delay -> delay <= latest).count();
        return new Checkpoints(notice.toSeconds(), checkpoint.toSeconds(), inTime / (double) eviction.length);
    }
}
