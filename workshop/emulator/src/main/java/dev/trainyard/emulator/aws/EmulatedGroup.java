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
 * An Auto Scaling group as AWS keeps it. It is as unkind as AWS may be: it ends an unprotected instance at once when it is too large, the one
 * at work the longest first, and forgets no order that it cannot fill.
 *
 * <p>Not thread-safe: for whoever holds the emulator's lock ({@link AwsEmulator#change}), or has the emulator to itself.
 */
public final class EmulatedGroup {

    /** AWS keeps six weeks of them; nobody here looks back further than this many. */
    private static final int ACTIVITIES_KEPT = 1000;

    private final String name;
    private final Clock clock;
    private final Optional<Pace> pace;
    private final LongSupplier numbers;
    private final List<EmulatedInstance> instances = new ArrayList<>();
    /** The latest first. */
    private final Deque<EmulatedActivity> activities = new ArrayDeque<>();

    private final SortedSet<String> suspended = new TreeSet<>();
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

    /** The change of desired capacity that nothing was done for yet, in AWS's words. */
    private String request = "";

    /** When AWS tries next to fill the group; empty: as soon as it sees that something is missing. */
    private Optional<Instant> attempt = Optional.empty();

    /** @param pace empty: nothing happens by itself */
    EmulatedGroup(String name, Clock clock, Optional<Pace> pace, LongSupplier numbers) {
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

    /** MinSize and MaxSize. */
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

    /** Whether new instances come protected from scale-in. */
    public EmulatedGroup protectNew(boolean protect) {
        protectsNew = protect;
        return this;
    }

    boolean protectsNew() {
        return protectsNew;
    }

    /**
     * Suspends a process of the group.
     *
     * @param process such as {@code AZRebalance}; only {@code Launch} has an effect here
     */
    public EmulatedGroup suspend(String process) {
        suspended.add(process);
        return this;
    }

    public SortedSet<String> suspended() {
        return suspended;
    }

    public EmulatedGroup tag(String key, String value) {
        tags.put(key, value);
        return this;
    }

    public SortedMap<String, String> tags() {
        return tags;
    }

    /** Makes on-demand instances, and not spot instances. */
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

    /** What instances are made from, in the XML of DescribeAutoScalingGroups. */
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

    /** Instances that there are to be had from now on, those that there are included. */
    public EmulatedGroup stock(int machines) {
        stock = machines;
        return this;
    }

    /** Why there are no more, in AWS's words. */
    public EmulatedGroup stockOut(String words) {
        stockOut = words;
        return this;
    }

    /** Those on their way out included, the oldest first. */
    public List<EmulatedInstance> instances() {
        return instances;
    }

    /** As AWS lists them: those that go on come first, however old they are, then the latest. */
    List<EmulatedActivity> activities() {
        return activities.stream()
                .sorted(Comparator.comparing(activity -> !activity.goesOn()))
                .toList();
    }

    /** Instances that were ever made. */
    public int everLaunched() {
        return everLaunched;
    }

    private int present() {
        return (int) instances.stream()
                .filter(instance -> instance.counts() && !instance.standsBy())
                .count();
    }

    /** Changes the desired capacity, as a user does. A group that is larger ends instances of its own choice. */
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
                instance.terminate(now);
                log("Terminating EC2 instance: " + instance.id(), "Successful", "");
            }
        }
    }

    /** Ends an instance and lowers the desired capacity by one. */
    void end(EmulatedInstance instance, boolean decrement) {
        // AWS does not say what a second order does to an instance on its way out; this is the worst that it can.
        desired -= decrement ? 1 : 0;
        instance.terminate(clock.instant());
        log("Terminating EC2 instance: " + instance.id(), "Successful", "");
    }

    /** AWS's launches begin: what there is comes, and one activity says what there is not. */
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

    /** What boots has booted, and what ends has ended. */
    public void finish() {
        instances.removeIf(instance -> !instance.counts());
        instances.stream().filter(EmulatedInstance::isPending).forEach(i -> i.serve(clock.instant()));
    }

    /** Does what is due by now, as of when it was due. */
    void pass() {
        pace.ifPresent(this::pass);
    }

    private void pass(Pace usual) {
        var now = clock.instant();
        instances.removeIf(instance -> !instance.counts() && due(instance, usual.end(), now));
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

    /** Adds a scaling activity, which is over at once. */
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
