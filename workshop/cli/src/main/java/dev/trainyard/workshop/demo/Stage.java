package dev.trainyard.workshop.demo;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The interface of scenarios to the demo: commands to run, states to wait for, facts to look up. */
final class Stage {

    private static final Duration MOMENT = Duration.ofSeconds(3);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Venue venue;
    private final Observer observer;
    private final Timeline timeline;
    private final Screen screen;
    private final Duration timeout;

    /** @param timeout how long to wait for each expected event */
    Stage(Venue venue, Observer observer, Timeline timeline, Screen screen, Duration timeout) {
        this.venue = venue;
        this.observer = observer;
        this.timeline = timeline;
        this.screen = screen;
        this.timeout = timeout;
    }

    Observer observer() {
        return observer;
    }

    void createNamespace(String name) {
        show(venue.createNamespace(name));
    }

    void create(String namespace, String file) {
        show(venue.create(namespace, file));
    }

    void apply(String... files) {
        show(venue.apply(List.of(files)));
    }

    /** Shows these pools; all pools if {@code names} is empty. */
    void showPools(String... names) {
        show(venue.showPools(List.of(names)));
    }

    /** Shows the Events about a pod. */
    void showEvents(String namespace, String pod) {
        show(venue.showEvents(namespace, pod));
    }

    void announceReclaim(String node) {
        show(venue.announceReclaim(node));
    }

    /** Shows a remark about what users see next. */
    void explain(String remark) {
        screen.line("  " + remark);
    }

    private void show(Venue.Reply reply) {
        screen.command(reply.command());
        screen.output(reply.output());
        if (!reply.ok()) {
            throw new ExpectationException(
                    "the command '%s' failed; its output: %s".formatted(reply.command(), reply.output()));
        }
    }

    /**
     * Waits until a condition holds.
     *
     * @param what the expected event, as a clause that fits after "waiting until"
     * @param state returns empty if the condition holds, else the actual state
     */
    void expect(String what, Supplier<Optional<String>> state) {
        var start = timeline.now();
        while (true) {
            var now = state.get();
            if (now.isEmpty()) {
                return;
            }
            var waited = timeline.now().minus(start);
            if (waited.compareTo(timeout) > 0) {
                throw new ExpectationException("did not happen within %ds: %s. Instead: %s.%s"
                        .formatted(timeout.toSeconds(), what, now.get(), venue.hints()));
            }
            screen.waitingFor("%2ds: waiting until %s".formatted(waited.toSeconds(), what));
            venue.pause(POLL);
        }
    }

    /** Waits at most 3 s until a condition holds. Does not fail if the condition never holds. */
    void giveAMoment(BooleanSupplier holds) {
        var start = timeline.now();
        while (!holds.getAsBoolean() && timeline.now().minus(start).compareTo(MOMENT) < 0) {
            venue.pause(POLL);
        }
    }

    /** Fails at once if a condition does not hold. */
    void check(String what, boolean holds, String instead) {
        if (!holds) {
            throw new ExpectationException(
                    "expectation not met: %s. Instead: %s.%s".formatted(what, instead, venue.hints()));
        }
    }

    List<Pod> pods(String namespace) {
        return venue.pods(namespace);
    }

    List<String> unfinishedJobs(String namespace) {
        return venue.unfinishedJobs(namespace);
    }

    int countedFailures(String namespace) {
        return venue.countedFailures(namespace);
    }

    TrainingPool pool(String name) {
        return venue.pool(name).orElseThrow(() -> new ExpectationException("there is no TrainingPool " + name));
    }

    long nodesOf(String pool) {
        return venue.nodesOf(pool);
    }

    /** Returns how often the scheduler asked the extender for a node; 0 if the extender does not answer. */
    double extenderCalls() {
        return venue.extenderCalls();
    }
}
