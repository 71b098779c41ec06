package dev.trainyard.scaler.aws;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An Auto Scaling group as AWS keeps it, time passing only when it is told to. It is as unkind as AWS may be: it ends an unprotected
 * instance at once when it is too large, the one at work the longest first, and forgets no order that it cannot fill.
 */
final class FakeGroup {

    private static final AtomicInteger EVER = new AtomicInteger(0x1000);

    final String name;
    int min;
    int max = 20;
    int desired;
    boolean protectsNew;
    List<String> zones = List.of("eu-west-1a");
    final TreeSet<String> suspended = new TreeSet<>();
    final Map<String, String> tags = new TreeMap<>();
    /** More of DescribeAutoScalingGroups' answer, as XML. */
    String more =
            "<LaunchTemplate><LaunchTemplateId>lt-1</LaunchTemplateId><Version>$Latest</Version></LaunchTemplate>";

    /** Instances that there are to be had, those that there are included. */
    int stock = Integer.MAX_VALUE;
    /** Why there are no more, in AWS's words. */
    String stockOut =
            "Could not launch Spot Instances. InsufficientInstanceCapacity - There is no Spot capacity available that"
                    + " matches your request. Launching EC2 instance failed.";

    final List<FakeInstance> instances = new ArrayList<>();
    /** The latest first. */
    final Deque<FakeActivity> activities = new ArrayDeque<>();

    private final Clock clock;

    FakeGroup(String name, Clock clock) {
        this.name = name;
        this.clock = clock;
    }

    static final class FakeInstance {
        final String id;
        final Instant launched;
        String lifecycle = "Pending";
        boolean isProtected;

        FakeInstance(Instant launched, boolean isProtected) {
            this.id = "i-%017x".formatted(EVER.addAndGet(0x10));
            this.launched = launched;
            this.isProtected = isProtected;
        }

        boolean counts() {
            return !lifecycle.startsWith("Terminating");
        }
    }

    record FakeActivity(String id, String description, String status, String message, Instant start, Instant end) {}

    int present() {
        return (int) instances.stream().filter(FakeInstance::counts).count();
    }

    /** AWS's launches begin: what there is comes, and one activity says what there is not. */
    void launch() {
        while (present() < desired && present() < stock && !suspended.contains("Launch")) {
            var instance = new FakeInstance(clock.instant(), protectsNew);
            instances.add(instance);
            log("Launching a new EC2 instance: " + instance.id, "Successful", "");
        }
        if (present() < desired && !suspended.contains("Launch")) {
            log("Launching a new EC2 instance.  Status Reason: " + stockOut, "Failed", stockOut);
        }
    }

    /** What boots has booted, and what ends has ended. */
    void finish() {
        instances.removeIf(instance -> !instance.counts());
        instances.stream().filter(i -> i.lifecycle.startsWith("Pending")).forEach(i -> i.lifecycle = "InService");
    }

    /** A group that is larger than desired ends instances of its own choice. */
    void resize(int to) {
        desired = to;
        for (var instance : instances) {
            if (present() > desired && instance.counts() && !instance.isProtected) {
                instance.lifecycle = "Terminating";
                log("Terminating EC2 instance: " + instance.id, "Successful", "");
            }
        }
    }

    void log(String description, String status, String message) {
        activities.addFirst(new FakeActivity(
                "activity-" + EVER.addAndGet(1), description, status, message, clock.instant(), clock.instant()));
    }
}
