package dev.trainyard.emulator.aws;

import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/** An instance of a group. Not thread-safe: callers hold the emulator's lock, or are the only users of the emulator. */
public final class EmulatedInstance {

    private static final String PENDING = "Pending";
    private static final String IN_SERVICE = "InService";
    private static final String TERMINATING = "Terminating";
    private static final String TERMINATING_WAIT = "Terminating:Wait";

    private final long number;
    private final String zone;
    private final Instant launched;
    private String lifecycle = PENDING;
    private String lifecycleBefore = PENDING;
    private Instant since;
    private boolean isProtected;
    /** The lifecycle hooks that delay the termination. */
    private final Set<String> hooks = new TreeSet<>();

    EmulatedInstance(long number, String zone, Instant launched, boolean isProtected) {
        this.number = number;
        this.zone = zone;
        this.launched = launched;
        this.since = launched;
        this.isProtected = isProtected;
    }

    /** Returns the instance ID, such as {@code i-0000000000000010a}. */
    public String id() {
        return "i-%017x".formatted(number);
    }

    /** Returns the private DNS name, which is also the name of the node. */
    public String name() {
        var region = zone.substring(0, zone.length() - 1);
        return "ip-10-%d-%d-%d.%s.compute.internal"
                .formatted(number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff, region);
    }

    String zone() {
        return zone;
    }

    /** Returns the provider ID, as the AWS cloud provider of Kubernetes writes it into nodes. */
    String providerId() {
        return "aws:///%s/%s".formatted(zone, id());
    }

    Instant launched() {
        return launched;
    }

    String lifecycle() {
        return lifecycle;
    }

    /** Returns the lifecycle state at the given time, which is the current state or the state before it. */
    String lifecycleAt(Instant time) {
        return since.isAfter(time) ? lifecycleBefore : lifecycle;
    }

    /** Returns when the current lifecycle state began. */
    Instant since() {
        return since;
    }

    /**
     * Changes the lifecycle state.
     *
     * @param newLifecycle a state in AWS's format, such as {@code Terminating:Wait}
     */
    public void become(String newLifecycle, Instant now) {
        lifecycleBefore = lifecycle;
        lifecycle = newLifecycle;
        since = now;
    }

    void serve(Instant now) {
        become(IN_SERVICE, now);
    }

    /** Begins the termination. It waits until all these lifecycle hooks are completed. */
    void terminate(Collection<String> lifecycleHooks, Instant now) {
        hooks.addAll(lifecycleHooks);
        become(hooks.isEmpty() ? TERMINATING : TERMINATING_WAIT, now);
    }

    /** Whether lifecycle hooks delay the termination. */
    boolean waitsToEnd() {
        return lifecycle.equals(TERMINATING_WAIT);
    }

    /** Completes a lifecycle hook. Returns whether the hook delayed the termination. */
    boolean complete(String hook, Instant now) {
        boolean delayed = hooks.remove(hook);
        if (delayed && hooks.isEmpty()) {
            become("Terminating:Proceed", now);
        }
        return delayed;
    }

    /** Whether the instance is protected from scale-in. */
    public boolean isProtected() {
        return isProtected;
    }

    void protect() {
        isProtected = true;
    }

    /** Whether the instance exists or is being launched, and is not terminating. */
    public boolean counts() {
        return !lifecycle.startsWith(TERMINATING);
    }

    boolean isPending() {
        return lifecycle.startsWith(PENDING);
    }

    boolean canBeProtected() {
        return lifecycle.equals(IN_SERVICE) || standsBy();
    }

    /** Whether the instance is on standby. The desired capacity does not include such instances. */
    boolean standsBy() {
        return lifecycle.endsWith("Standby");
    }
}
