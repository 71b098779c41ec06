package dev.trainyard.scaler.calls;

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
 * Asks clouds for sizes of machine: each once, and for one that is not known the day after; after a failure again at growing intervals. What was
 * told is kept for as long as the process lives. Thread-safe.
 */
final class SizeFinder {

    private static final Logger log = LoggerFactory.getLogger(SizeFinder.class);

    static final String OPERATION = "size";

    /** Between two questions about a size, but for failures: it may be sold later. One that was misspelt makes another question. */
    static final Duration DAY = Duration.ofDays(1);

    /** After the first failure; doubled each time. Nothing but the one pool waits for it, and its administrator can do without the answer. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Caller caller;
    private final Threads threads;
    private final LongSupplier nanoTime;
    private final Runnable changed;
    private final Map<Question, State> states = new HashMap<>();
    /** APIs that a question is open with. One at a time: however long it takes, the calls of pools have the other threads. */
    private final Set<String> busy = new HashSet<>();

    private record Question(ProviderSpec where, String name) {
        String api() {
            return where.api();
        }
    }

    /** Guarded by the finder. */
    private static final class State {
        private @Nullable MachineSize told;
        private String why = "its cloud is asked for it";
        private int failures;
        private @Nullable Long again;
    }

    /** @param changed called when an answer has come */
    SizeFinder(Caller caller, Threads threads, LongSupplier nanoTime, Runnable changed) {
        this.caller = caller;
        this.threads = threads;
        this.nanoTime = nanoTime;
        this.changed = changed;
    }

    /** What is known of it; asks where nothing is, and does not wait. Empty where there is no cloud to ask. */
    Optional<ToldSize> find(ProviderSpec where, String name) {
        var cloud = Cloud.of(where);
        if (cloud.isEmpty() || where.named().size() != 1) {
            return Optional.empty();
        }
        var question = new Question(where, name);
        var state = dueState(question);
        state.ifPresent(due -> threads.run(question.api(), () -> ask(cloud.get(), question, due)));
        return Optional.of(known(question));
    }

    /** @return its state, when it is to be asked now */
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

    private synchronized ToldSize known(Question question) {
        var state = states.getOrDefault(question, new State());
        return state.told == null ? new ToldSize.Untold(state.why) : new ToldSize.Told(state.told);
    }

    private void ask(Cloud cloud, Question question, State state) {
        Optional<MachineSize> told = Optional.empty();
        @Nullable ProviderException problem = new ProviderException(FailureKind.TRANSIENT, "it was cut off");
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
            // Also when an Error ends the thread: the question must not stay open for ever.
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
            log.warn(
                    "{} cannot be asked for the size {}: {}: {}",
                    cloud,
                    question.name(),
                    problem.kind(),
                    problem.words());
            state.failures++;
            state.why = "%s cannot be asked for it: %s: %s".formatted(cloud, problem.kind(), problem.words());
            state.again = nanoTime.getAsLong() + pause(state.failures, problem).toNanos();
        } else if (told.isPresent()) {
            state.told = told.get();
        } else {
            state.failures = 0;
            state.why = "%s sells no size of that name where the pool is".formatted(cloud);
            state.again = nanoTime.getAsLong() + DAY.toNanos();
        }
    }

    private static Duration pause(int failures, ProviderException problem) {
        var doubled = PAUSE.multipliedBy(1L << Math.min(failures - 1, 20));
        var pause = doubled.compareTo(DAY) < 0 ? doubled : DAY;
        return problem.retryAfter().filter(asked -> asked.compareTo(pause) > 0).orElse(pause);
    }
}
