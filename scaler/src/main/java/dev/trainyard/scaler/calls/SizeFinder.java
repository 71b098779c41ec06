package dev.trainyard.scaler.calls;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A finder of machine sizes that asks the clouds. It asks a cloud once for each size. If the cloud does not have the size, the finder asks
 * again after a day. After a failure, it asks again at growing intervals. Found sizes are kept as long as the process lives. Thread-safe.
 */
final class SizeFinder {

    private static final Logger log = LoggerFactory.getLogger(SizeFinder.class);

    static final String OPERATION = "size";

    /**
     * The time after which a size that the cloud does not have is requested again, since the cloud may offer it later. A corrected name is
     * requested at once.
     */
    static final Duration DAY = Duration.ofDays(1);

    /**
     * The pause after the first failure, doubled after each further failure up to a day. A long pause is acceptable: only pools with this
     * size wait for the answer, and their administrator can state the size in the spec instead.
     */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Caller caller;
    private final Threads threads;
    private final LongSupplier nanoTime;
    private final Runnable changed;
    private final Map<Question, State> states = new HashMap<>();
    /**
     * APIs with a size request in progress. Each API has at most one size request at a time. So slow size requests leave the API's other
     * threads to the calls of pools.
     */
    private final Set<String> busy = new HashSet<>();

    private record Question(ProviderSpec where, String name) {
        String api() {
            return where.api();
        }
    }

    /** The state of one question about a size. Guarded by the lock of the finder. */
    private static final class State {
        private @Nullable MachineSize told;
        private String why = "the cloud is being queried for this size";
        private int failures;
        private @Nullable Long again;
    }

    /** @param changed called after an answer */
    SizeFinder(Caller caller, Threads threads, LongSupplier nanoTime, Runnable changed) {
        this.caller = caller;
        this.threads = threads;
        this.nanoTime = nanoTime;
        this.changed = changed;
    }

    /**
     * Returns the known answer; empty if the machines are simulated, or if {@code where} does not name exactly one provider. If no size is
     * known, sends the cloud a request when one is due, but does not wait for the answer.
     */
    Optional<SizeAnswer> find(ProviderSpec where, String name) {
        var cloud = Cloud.of(where);
        if (cloud.isEmpty() || where.named().size() != 1) {
            return Optional.empty();
        }
        var question = new Question(where, name);
        var state = dueState(question);
        state.ifPresent(due -> threads.run(question.api(), () -> ask(cloud.get(), question, due)));
        return Optional.of(known(question));
    }

    /** @return the state of the question if the cloud must be asked now; empty otherwise */
    private synchronized Optional<State> dueState(Question question) {
        var state = states.computeIfAbsent(question, any -> new State());
        boolean due = state.told == null
                && !busy.contains(question.api())
                && (state.again == null || nanoTime.getAsLong() - state.again >= 0);
        if (due) {
            busy.add(question.api());
        }
        return due ? Optional.of(state) : Optional.empty();
    }

    private synchronized SizeAnswer known(Question question) {
        var state = states.getOrDefault(question, new State());
        return state.told == null ? new SizeAnswer.Untold(state.why) : new SizeAnswer.Told(state.told);
    }

    private void ask(Cloud cloud, Question question, State state) {
        Optional<MachineSize> told = Optional.empty();
        @Nullable ProviderException problem = new ProviderException(FailureKind.TRANSIENT, "the call was cancelled");
        try {
            told = caller.call(
                    question.where(),
                    OPERATION,
                    question.name(),
                    provider -> provider.size(question.where(), question.name()));
            problem = null;
        } catch (ProviderException e) {
            problem = e;
        } finally {
            // This also runs after an Error, so that the request always ends.
            answered(cloud, question, state, told, problem);
        }
        changed.run();
    }

    private synchronized void answered(
            Cloud cloud,
            Question question,
            State state,
            Optional<MachineSize> told,
            @Nullable ProviderException problem) {
        busy.remove(question.api());
        if (problem != null) {
            log.warn("{} did not return the size {}: {}: {}", cloud, question.name(), problem.kind(), problem.words());
            state.failures++;
            state.why = "%s did not return this size: %s: %s".formatted(cloud, problem.kind(), problem.words());
            state.again = nanoTime.getAsLong() + pause(state.failures, problem).toNanos();
        } else if (told.isPresent()) {
            state.told = told.get();
        } else {
            state.failures = 0;
            state.why = "%s offers no size of this name in the pool's region".formatted(cloud);
            state.again = nanoTime.getAsLong() + DAY.toNanos();
        }
    }

    private static Duration pause(int failures, ProviderException problem) {
        var pause = Durations.doubled(PAUSE, failures - 1, DAY);
        return Durations.max(pause, problem.retryAfter().orElse(pause));
    }
}
