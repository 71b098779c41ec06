package dev.trainyard.cli.demo;

import dev.trainyard.cli.yard.Part;
import dev.trainyard.cli.yard.Yard;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What scenarios play on: commands to give, states to wait for, facts to look up. */
final class Stage {

    private static final Duration MOMENT = Duration.ofSeconds(3);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Yard yard;
    private final Observer observer;
    private final Timeline timeline;
    private final Screen screen;
    private final Duration patience;

    /** @param patience how long to wait for one thing to happen */
    Stage(Yard yard, Observer observer, Timeline timeline, Screen screen, Duration patience) {
        this.yard = yard;
        this.observer = observer;
        this.timeline = timeline;
        this.screen = screen;
        this.patience = patience;
    }

    Observer observer() {
        return observer;
    }

    /** Runs kubectl for all to see. */
    void kubectl(String... arguments) {
        screen.command("kubectl " + String.join(" ", arguments));
        var result = yard.kubectl().run(arguments);
        screen.output(result.output());
        if (!result.succeeded()) {
            throw new Unmet("kubectl %s should have succeeded, but said: %s"
                    .formatted(String.join(" ", arguments), result.output()));
        }
    }

    /**
     * Waits until something holds.
     *
     * @param what should happen, in words that also read well after "did not happen:"
     * @param state empty when it holds, else how it is instead
     */
    void expect(String what, Supplier<Optional<String>> state) {
        var start = timeline.now();
        while (true) {
            var now = state.get();
            if (now.isEmpty()) {
                return;
            }
            var waited = timeline.now().minus(start);
            if (waited.compareTo(patience) > 0) {
                throw new Unmet("did not happen within %ds: %s. Instead: %s.%s"
                        .formatted(patience.toSeconds(), what, now.get(), missingParts()));
            }
            screen.waitingFor("waiting %2ds until %s".formatted(waited.toSeconds(), what));
            pause();
        }
    }

    /** Gives something that only adds to the picture a moment to come true. */
    void giveAMoment(BooleanSupplier holds) {
        var start = timeline.now();
        while (!holds.getAsBoolean() && timeline.now().minus(start).compareTo(MOMENT) < 0) {
            pause();
        }
    }

    /** Says at once when something does not hold. */
    void check(String what, boolean holds, String instead) {
        if (!holds) {
            throw new Unmet("is not so: %s. Instead: %s.%s".formatted(what, instead, missingParts()));
        }
    }

    List<Pod> pods(String namespace) {
        return yard.client().pods().inNamespace(namespace).list().getItems();
    }

    List<Job> jobs(String namespace) {
        return yard.client().batch().v1().jobs().inNamespace(namespace).list().getItems();
    }

    TrainingPool pool(String name) {
        var pool = yard.client().resources(TrainingPool.class).withName(name).get();
        if (pool == null) {
            throw new Unmet("there is no TrainingPool " + name);
        }
        return pool;
    }

    long nodesOf(String pool) {
        return yard.client()
                .nodes()
                .withLabel(Names.POOL, pool)
                .list()
                .getItems()
                .size();
    }

    /** How often the scheduler asked the extender to filter nodes; zero when it cannot be asked. */
    double filterCalls() {
        return Metrics.read(
                yard.operationsUrl(Part.EXTENDER), "trainyard_extender_calls_seconds_count", "verb=\"filter\"");
    }

    private String missingParts() {
        var missing = Arrays.stream(Part.values())
                .filter(part -> !yard.isRunning(part))
                .map(part -> " The %s is not running%s."
                        .formatted(
                                part.command(), Files.exists(yard.log(part)) ? " (log: " + yard.log(part) + ")" : ""))
                .toList();
        return missing.isEmpty() ? " Logs: " + yard.controlPlane().logs() : String.join("", missing);
    }

    private static void pause() {
        try {
            Thread.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unmet("interrupted");
        }
    }
}
