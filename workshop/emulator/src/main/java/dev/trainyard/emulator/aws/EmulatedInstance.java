package dev.trainyard.emulator.aws;

import java.time.Instant;

/** An instance of a group. Not thread-safe: for whoever holds the emulator's lock, or has it to itself. */
public final class EmulatedInstance {

    private static final String PENDING = "Pending";
    private static final String IN_SERVICE = "InService";
    private static final String TERMINATING = "Terminating";

    private final long number;
    private final String zone;
    private final Instant launched;
    private String lifecycle = PENDING;
    private String lifecycleBefore = PENDING;
    private Instant since;
    private boolean isProtected;

    EmulatedInstance(long number, String zone, Instant launched, boolean isProtected) {
        this.number = number;
        this.zone = zone;
        this.launched = launched;
        this.since = launched;
        this.isProtected = isProtected;
    }

    /** Such as {@code i-0000000000000010a}. */
    public String id() {
        return "i-%017x".formatted(number);
    }

    /** Its private DNS name, which its node has too. */
    public String name() {
        var region = zone.substring(0, zone.length() - 1);
        return "ip-10-%d-%d-%d.%s.compute.internal"
                .formatted(number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff, region);
    }

    String zone() {
        return zone;
    }

    /** As the AWS cloud provider of Kubernetes writes it into nodes. */
    String providerId() {
        return "aws:///%s/%s".formatted(zone, id());
    }

    Instant launched() {
        return launched;
    }

    String lifecycle() {
        return lifecycle;
    }

    /** What a listing shows that is as old as {@code time}. */
    String lifecycleAt(Instant time) {
        return since.isAfter(time) ? lifecycleBefore : lifecycle;
    }

    /** Since when it has been what it is. */
    Instant since() {
        return since;
    }

    /** Puts it into a state, as AWS writes them: {@code Terminating:Wait}. */
    public void become(String newLifecycle, Instant now) {
        lifecycleBefore = lifecycle;
        lifecycle = newLifecycle;
        since = now;
    }

    void serve(Instant now) {
        become(IN_SERVICE, now);
    }

    void terminate(Instant now) {
        become(TERMINATING, now);
    }

    /** Whether it is protected from scale-in. */
    public boolean isProtected() {
        return isProtected;
    }

    void protect() {
        isProtected = true;
    }

    /** Whether it is there or being made, not on its way out. */
    public boolean counts() {
        return !lifecycle.startsWith(TERMINATING);
    }

    boolean isPending() {
        return lifecycle.startsWith(PENDING);
    }

    boolean canBeProtected() {
        return lifecycle.equals(IN_SERVICE) || standsBy();
    }

    /** Whether it was taken out of service for a while. Desired capacity does not count it. */
    boolean standsBy() {
        return lifecycle.endsWith("Standby");
    }
}
