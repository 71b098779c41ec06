package dev.trainyard.emulator.aws;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * An emulated AWS Auto Scaling group, with the worst behaviour that AWS allows. A group that is too large terminates unprotected instances
 * at once, the oldest first. A group that lacks instances tries to launch them without end.
 *
 * <p>Not thread-safe: callers hold the emulator's lock ({@link AwsEmulator#change}), or are the only users of the emulator.
 */
public final class EmulatedGroup {

    /** The limit of stored activities. AWS keeps activities for six weeks, but no user of the emulator needs more than this number. */
    private static final int ACTIVITIES_KEPT = 1000;

    private final String name;
    private final Clock clock;
    private final Optional<AwsPace> pace;
    private final LongSupplier numbers;
    private final List<EmulatedInstance> instances = new ArrayList<>();
    /** The activities, the latest first. */
    private final Deque<EmulatedActivity> activities = new ArrayDeque<>();

    private final SortedSet<String> suspended = new TreeSet<>();
    private final SortedSet<String> hooks = new TreeSet<>();
    private final SortedMap<String, String> tags = new TreeMap<>();
    private List<String> zones = List.of(AwsEmulator.REGION + "a");
    private int min;
    private int max = 20;
    private int desired;
    private int everLaunched;
    private boolean protectsNew;
    private boolean spot = true;
    private String source = template("lt-spot");
    private int stock = Integer.MAX_VALUE;
    private String stockOut =
            "Could not launch Spot Instances. InsufficientInstanceCapacity - There is no Spot capacity available that"
                    + " matches your request. Launching EC2 instance failed.";

    /** The cause of the last change of the desired capacity, in AWS's words; empty after the next launch. */
    private String request = "";

    /** The time of AWS's next attempt to fill the group. If empty, AWS tries as soon as an instance is missing. */
    private Optional<Instant> attempt = Optional.empty();

    /** @param pace the durations of operations; empty if callers use {@link #launch} and {@link #finish} instead */
    EmulatedGroup(String name, Clock clock, Optional<AwsPace> pace, LongSupplier numbers) {
        this.name = name;
        this.clock = clock;
        this.pace = pace;
        this.numbers = numbers;
    }

    public String name() {
        return name;
    }

    public int min() {
        return min;
    }

    public int max() {
        return max;
    }

    /** Sets MinSize and MaxSize. */
    public EmulatedGroup bounds(int least, int most) {
        min = least;
        max = most;
        return this;
    }

    public int desired() {
        return desired;
    }

    public EmulatedGroup zones(String... names) {
        zones = List.of(names);
        return this;
    }

    List<String> zones() {
        return zones;
    }

    /** Sets whether new instances are protected from scale-in. */
    public EmulatedGroup protectNew(boolean protect) {
        protectsNew = protect;
        return this;
    }

    boolean protectsNew() {
        return protectsNew;
    }

    /**
     * Suspends an Auto Scaling process of the group.
     *
     * @param process the name of the process, such as {@code AZRebalance}; only {@code Launch} has an effect in the emulator
     */
    public EmulatedGroup suspend(String process) {
        suspended.add(process);
        return this;
    }

    public SortedSet<String> suspended() {
        return suspended;
    }

    /** Adds a lifecycle hook that delays terminations. Its timeout never passes. */
    public EmulatedGroup hook(String hook) {
        hooks.add(hook);
        return this;
    }

    SortedSet<String> hooks() {
        return hooks;
    }

    public EmulatedGroup tag(String key, String value) {
        tags.put(key, value);
        return this;
    }

    public SortedMap<String, String> tags() {
        return tags;
    }

    /** Makes the group launch on-demand instances instead of spot instances. */
    public EmulatedGroup onDemand() {
        spot = false;
        source = template("lt-on-demand");
        stockOut = "We currently do not have sufficient p3.2xlarge capacity in the Availability Zone you requested."
                + " Launching EC2 instance failed.";
        return this;
    }

    boolean isSpot() {
        return spot;
    }

    private static String template(String id) {
        return "<LaunchTemplate><LaunchTemplateId>%s</LaunchTemplateId><Version>$Latest</Version></LaunchTemplate>"
                .formatted(id);
    }

    /** Sets the template of instances, in the XML of DescribeAutoScalingGroups. */
    public EmulatedGroup source(String xml) {
        source = xml;
        return this;
    }

    String source() {
        return source;
    }

    public int stock() {
        return stock;
    }

    /** Sets the largest number of instances that can exist, including existing ones. */
    public EmulatedGroup stock(int machines) {
        stock = machines;
        return this;
    }

    /** Sets the reason of stock-outs, in AWS's words. */
    public EmulatedGroup stockOut(String words) {
        stockOut = words;
        return this;
    }

    /** Returns the instances, including terminating ones, the oldest first. */
    public List<EmulatedInstance> instances() {
        return instances;
    }

    /** Returns the activities in AWS's order: first those in progress, then those that have ended; in both cases the latest first. */
    List<EmulatedActivity> activities() {
        return activities.stream()
                .sorted(Comparator.comparing(activity -> !activity.goesOn()))
                .toList();
    }

    /** Returns the number of instances that were ever created. */
    public int everLaunched() {
        return everLaunched;
    }

    private int present() {
        return (int) instances.stream()
                .filter(instance -> instance.counts() && !instance.standsBy())
                .count();
    }

    /** Changes the desired capacity, as a user does. A group that is too large terminates instances of its own choice. */
    public void resize(int to) {
        var now = clock.instant();
        if (to > desired && present() >= desired) {
            attempt = pace.map(usual -> now.plus(usual.launch()));
        }
        if (to != desired) {
            request =
                    "At %s a user request explicitly set group desired capacity changing the desired capacity from %d to %d.  "
                            .formatted(now.truncatedTo(ChronoUnit.SECONDS), desired, to);
        }
        desired = to;
        for (var instance : instances) {
            if (present() > desired && instance.counts() && !instance.standsBy() && !instance.isProtected()) {
                instance.terminate(hooks, now);
                log("Terminating EC2 instance: " + instance.id(), "Successful", "");
            }
        }
    }

    /** Terminates an instance, and lowers the desired capacity by one if {@code decrement} is set. */
    void end(EmulatedInstance instance, boolean decrement) {
        // AWS does not document the effect of a second request on a terminating instance. Here it has the worst
        // possible effect: it lowers the desired capacity once more.
        desired -= decrement ? 1 : 0;
        instance.terminate(hooks, clock.instant());
        log("Terminating EC2 instance: " + instance.id(), "Successful", "");
    }

    /** Launches missing instances. If some are out of stock, one activity reports the failure. */
    public void launch() {
        launch(clock.instant());
    }

    private void launch(Instant at) {
        if (suspended.contains("Launch")) {
            return;
        }
        while (present() < desired && present() < stock) {
            var zone = zones.get(present() % zones.size());
            var instance = new EmulatedInstance(numbers.getAsLong(), zone, at, protectsNew);
            instances.add(instance);
            everLaunched++;
            log("Launching a new EC2 instance: " + instance.id(), "Successful", "", at);
        }
        if (present() < desired) {
            log("Launching a new EC2 instance.  Status Reason: " + stockOut, "Failed", stockOut, at);
        }
        request = "";
    }

    /** Completes all launches, and all terminations that no lifecycle hook delays. */
    public void finish() {
        instances.removeIf(instance -> !instance.counts() && !instance.waitsToEnd());
        instances.stream().filter(EmulatedInstance::isPending).forEach(i -> i.serve(clock.instant()));
    }

    /** Runs all actions that are due. Records for each action the time at which it was due. */
    void pass() {
        pace.ifPresent(this::pass);
    }

    private void pass(AwsPace usual) {
        var now = clock.instant();
        instances.removeIf(instance -> !instance.counts() && !instance.waitsToEnd() && due(instance, usual.end(), now));
        while (present() < desired && !attempt.orElse(now).isAfter(now)) {
            var at = attempt.orElse(now);
            launch(at);
            attempt = Optional.of(at.plus(usual.retry()));
        }
        if (present() >= desired) {
            attempt = Optional.empty();
        }
        instances.stream()
                .filter(instance -> instance.isPending() && due(instance, usual.boot(), now))
                .forEach(instance -> instance.serve(instance.since().plus(usual.boot())));
    }

    private static boolean due(EmulatedInstance instance, Duration after, Instant now) {
        return !instance.since().plus(after).isAfter(now);
    }

    /** Adds a scaling activity that began now. The activity has also ended now, unless the status is that of an activity in progress. */
    public void log(String description, String status, String message) {
        log(description, status, message, clock.instant());
    }

    private void log(String description, String status, String message, Instant at) {
        var cause = request
                + "At %s an instance was started in response to a difference between desired and actual capacity."
                        .formatted(at.truncatedTo(ChronoUnit.SECONDS));
        activities.addFirst(
                new EmulatedActivity("activity-" + numbers.getAsLong(), description, status, message, cause, at));
        if (activities.size() > ACTIVITIES_KEPT) {
            activities.removeLast();
        }
    }
}
