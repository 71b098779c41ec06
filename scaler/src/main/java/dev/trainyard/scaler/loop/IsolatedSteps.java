package dev.trainyard.scaler.loop;

import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.report.RoundReporter;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;

/**
 * A runner for the steps of a round. If a step fails, the other steps still run, and the next round tries the failed step again. Refusals
 * by the API server are expected and only logged. Any other exception is a bug in the scaler, which is logged and kept for
 * {@link #mistakes}. Not thread-safe.
 */
final class IsolatedSteps {

    private final RoundReporter reporter;
    private final List<RuntimeException> mistakes = new ArrayList<>();

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

    /** Begins a round: forgets the exceptions of the last round. */
    void begin() {
        mistakes.clear();
    }

    /** Returns the exceptions of this round's steps, except refusals by the API server. */
    List<RuntimeException> mistakes() {
        return List.copyOf(mistakes);
    }
}
