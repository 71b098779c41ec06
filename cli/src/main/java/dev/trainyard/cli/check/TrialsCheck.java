package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.Trap;
import java.util.List;

/** What the API server does with a training pod: whether it calls the webhook, and what comes back. */
final class TrialsCheck implements Check {

    private static final String ABOUT = "a pod on trial";

    @Override
    public List<Finding> look(Seen seen) {
        boolean registered = seen.admission()
                .registration()
                .value()
                .map(found -> found.isPresent())
                .orElse(true);
        return seen.admission().trials().stream()
                .map(trial -> look(trial, registered, seen.setting().podNamespace()))
                .toList();
    }

    private static Finding look(Trial trial, boolean registered, String namespace) {
        if (trial.outcome() instanceof Trial.NotTried not) {
            return Part.notChecked(ABOUT, not.problem());
        }
        if (trial.outcome() instanceof Trial.Refused refused) {
            return refused(trial, refused);
        }
        var created = (Trial.Created) trial.outcome();
        var field = "metadata.annotations[%s]".formatted(Names.INJECTED);
        if (!created.injected().isEmpty()) {
            return Finding.ok(
                    ABOUT,
                    "the webhook completed one of tier %s in namespace %s: %s"
                            .formatted(trial.tier(), namespace, created.injected()));
        }
        if (!registered) {
            return Finding.note(ABOUT, "one of tier %s was created as it is".formatted(trial.tier()));
        }
        return Finding.error(
                        ABOUT,
                        "the API server creates one of tier %s in namespace %s without the webhook's having completed it"
                                .formatted(trial.tier(), namespace))
                .on("Pod")
                .field(field, "", "what the webhook did")
                .todo(
                        "look at the other findings about the webhook, at its log, and at the API server's log for 'failed calling webhook'")
                .see(Trap.WEBHOOK_NOT_CALLED);
    }

    private static Finding refused(Trial trial, Trial.Refused refused) {
        boolean byUs = refused.isBy("pods.trainyard.dev");
        if (byUs && !trial.exists()) {
            return Finding.ok(ABOUT, "the webhook refused one whose tier there is not, as it should");
        }
        if (byUs) {
            return Finding.error(
                            ABOUT, "the webhook refused one of tier %s: %s".formatted(trial.tier(), refused.message()))
                    .todo("mend the tier")
                    .see(Trap.NO_SUCH_TIER);
        }
        return Part.notChecked(ABOUT, "the API server refused it: " + refused.message());
    }
}
