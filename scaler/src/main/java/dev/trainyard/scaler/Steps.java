package dev.trainyard.scaler;

import dev.trainyard.scaler.calls.NotLeading;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps of a round that stop no other: what fails for one object is tried again in the next round. That the API server refuses something
 * happens; whatever else a step throws is a mistake of ours, which is kept so that somebody learns of it. Not thread-safe.
 */
final class Steps {

    private final Narrator narrator;
    private final List<RuntimeException> mistakes = new ArrayList<>();

    Steps(Narrator narrator) {
        this.narrator = narrator;
    }

    /**
     * Runs a step.
     *
     * @param what of which object, as the log has it when it fails
     * @return whether the step succeeded
     * @throws NotLeading when another scaler may lead by now: no other step is to be done either
     */
    boolean attempt(String what, Runnable step) {
        try {
            step.run();
            return true;
        } catch (NotLeading e) {
            throw e;
        } catch (KubernetesClientException e) {
            narrator.refused(what, e);
        } catch (RuntimeException e) {
            narrator.failed(what, e);
            mistakes.add(e);
        }
        return false;
    }

    /** A round begins. */
    void begin() {
        mistakes.clear();
    }

    /** What steps of this round threw, refusals aside. */
    List<RuntimeException> mistakes() {
        return List.copyOf(mistakes);
    }
}
