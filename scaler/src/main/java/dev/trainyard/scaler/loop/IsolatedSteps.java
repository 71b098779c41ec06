package dev.trainyard.scaler.loop;

import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.report.RoundReporter;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A runner for the steps of a round. If a step fails, the other steps still run, and the next round tries the failed step again. Refusals
 * by the API server are expected and only logged. Any other exception is a bug in the scaler, which is logged and kept for
 * {@link #mistakes}. Not thread-safe.
 */
final class IsolatedSteps {

    /** The time for steps that can wait, in each round. Without a limit, the writes for 300 joining nodes delayed pods by minutes. */
    private static final Duration TIME_FOR_STEPS_THAT_CAN_WAIT = Duration.ofSeconds(5);

    private final RoundReporter reporter;
    private final List<RuntimeException> mistakes = new ArrayList<>();
    private Supplier<Instant> clock = () -> Instant.EPOCH;
    private Duration spent = Duration.ZERO;
    private boolean postponed;

    IsolatedSteps(RoundReporter reporter) {
        this.reporter = reporter;
    }

    /**
     * Runs a step.
     *
     * @param what names the step and its object in the log if the step fails
     * @return whether the step succeeded
     * @throws NotLeading if another scaler may lead by now; the caller must then run no other step
     */
    boolean attempt(String what, Runnable step) {
        try {
            step.run();
            return true;
        } catch (NotLeading e) {
            throw e;
        } catch (KubernetesClientException e) {
            reporter.refused(what, e);
        } catch (RuntimeException e) {
            reporter.failed(what, e);
            mistakes.add(e);
        }
        return false;
    }

    /**
     * Runs a step that can wait as {@link #attempt} does, unless such steps have already taken their time in this round. Only steps that
     * succeed count, because they are not repeated: steps that always fail must neither keep others waiting nor start the next round at once.
     */
    void attemptIfTimeIsLeft(String what, Runnable step) {
        if (spent.compareTo(TIME_FOR_STEPS_THAT_CAN_WAIT) >= 0) {
            postponed = true;
            return;
        }
        var start = clock.get();
        if (attempt(what, step)) {
            spent = spent.plus(Duration.between(start, clock.get()));
        }
    }

    /** Returns whether {@link #attemptIfTimeIsLeft} has left steps to the next round. */
    boolean hasPostponed() {
        return postponed;
    }

    /**
     * Begins a round: forgets the exceptions and the postponed steps of the last round.
     *
     * @param newClock returns the wall-clock time
     */
    void begin(Supplier<Instant> newClock) {
        mistakes.clear();
        clock = newClock;
        spent = Duration.ZERO;
        postponed = false;
    }

    /** Returns the exceptions of this round's steps, except refusals by the API server. */
    List<RuntimeException> mistakes() {
        return List.copyOf(mistakes);
    }
}
