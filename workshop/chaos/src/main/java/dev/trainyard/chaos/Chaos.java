package dev.trainyard.chaos;

import dev.trainyard.simulation.fault.Fault;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A runner of many trials in parallel. A trial simulates a random cluster with random faults. A failed trial is reduced to the kinds of
 * faults that cause the failure.
 */
public final class Chaos {

    private Chaos() {}

    /**
     * The result of all seeds.
     *
     * @param rounds the number of the scaler's rounds in all trials
     * @param failure the failure of the lowest seed, reduced to the kinds of faults that cause it; null if no trial failed
     */
    public record Report(
            long first,
            int seeds,
            long rounds,
            double seconds,
            @Nullable Failure failure) {}

    /**
     * A trial that violated an invariant. The same seed and faults repeat the failure.
     *
     * @param at seconds after the start
     * @param log the last entries of the activity log
     */
    public record Failure(long seed, Set<Fault> faults, String invariant, double at, String how, List<String> log) {}

    /**
     * Runs trials until one violates an invariant.
     *
     * @param threads the number of parallel trials
     * @param ended receives the number of trials that have ended
     */
    public static Report run(long first, int seeds, Set<Fault> faults, int threads, LongConsumer ended) {
        return run(first, seeds, faults, threads, ended, Trial::run);
    }

    /** A function that runs one trial. The same arguments give the same result. */
    interface Trying {
        Trial.Result run(long seed, Set<Fault> faults);
    }

    static Report run(long first, int seeds, Set<Fault> faults, int threads, LongConsumer ended, Trying trying) {
        long started = System.nanoTime();
        var executor = Executors.newFixedThreadPool(threads);
        long rounds = 0;
        Optional<Failure> failure = Optional.empty();
        try {
            var trials = new ArrayList<Future<Trial.Result>>();
            for (int i = 0; i < seeds; i++) {
                long seed = first + i;
                trials.add(executor.submit(() -> trying.run(seed, faults)));
            }
            for (int i = 0; i < seeds && failure.isEmpty(); i++) {
                var result = result(first + i, trials.get(i));
                rounds += result.rounds();
                ended.accept(i + 1);
                failure = result.failure().map(found -> least(result, trying));
            }
        } finally {
            executor.shutdownNow();
        }
        return new Report(first, seeds, rounds, (System.nanoTime() - started) / 1e9, failure.orElse(null));
    }

    /** Repeats a failed trial without each kind of fault in turn. Drops a kind of fault if the same invariant still breaks without it. */
    private static Failure least(Trial.Result failed, Trying trying) {
        var result = failed;
        var invariant = failed.failure().orElseThrow().invariant();
        for (var fault : failed.faults()) {
            var fewer = EnumSet.copyOf(result.faults());
            fewer.remove(fault);
            if (!fewer.isEmpty()) {
                var again = trying.run(failed.seed(), fewer);
                boolean same = again.failure()
                        .filter(failure -> failure.invariant().equals(invariant))
                        .isPresent();
                result = same ? again : result;
            }
        }
        var failure = result.failure().orElseThrow();
        return new Failure(
                result.seed(),
                result.faults(),
                failure.invariant(),
                failure.at().toMillis() / 1000.0,
                failure.how(),
                failure.log());
    }

    private static Trial.Result result(long seed, Future<Trial.Result> trial) {
        try {
            return trial.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the trial of seed %d failed without a fault: %s".formatted(seed, e.getCause()), e.getCause());
        }
    }
}
