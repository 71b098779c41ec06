package dev.trainyard.scaler;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps of a round that stop no other: what fails for one object is tried again in the next round. That the API server refuses something
 * happens, and that another scaler leads; whatever else a step throws is a mistake of ours, which is kept so that somebody learns of it. Not thread-safe.
 */
final class Steps {

    private final Narrator narrator;
    private List<RuntimeException> mistakes = new ArrayList<>();

    Steps(Narrator narrator) {
        this.narrator = narrator;
    }

    /** @param what of which object, as the log has it when it fails */
    void attempt(String what, Runnable step) {
        try {
            step.run();
        } catch (KubernetesClientException | NotLeading e) {
            narrator.refused(what, e);
        } catch (RuntimeException e) {
            narrator.failed(what, e);
            mistakes.add(e);
        }
    }

    /** What steps threw since the last time, refusals aside. */
    List<RuntimeException> takeMistakes() {
        var taken = List.copyOf(mistakes);
        mistakes = new ArrayList<>();
        return taken;
    }
}
