package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;

/** A machine of a scale set. Not thread-safe. */
final class ScaleSetInstance {

    private static final String CREATING = "Creating";
    private static final String DELETING = "Deleting";

    private final int id;
    private final Instant made;
    private String state = CREATING;
    private String power = "PowerState/starting";
    private Optional<ObjectNode> failure = Optional.empty();

    ScaleSetInstance(int id, Instant made) {
        this.id = id;
        this.made = made;
    }

    int id() {
        return id;
    }

    Instant made() {
        return made;
    }

    String provisioning() {
        return state;
    }

    boolean counts() {
        return !state.equals(DELETING);
    }

    boolean hasBooted() {
        return !state.equals(CREATING) && failure.isEmpty();
    }

    void run() {
        if (state.equals(CREATING)) {
            state = "Succeeded";
            power = "PowerState/running";
        }
    }

    void fail(ObjectNode error) {
        if (state.equals(CREATING)) {
            state = "Failed";
            power = "PowerState/stopped";
            failure = Optional.of(error);
        }
    }

    void deallocate() {
        power = "PowerState/deallocated";
    }

    /**
     * Deletes the instance.
     *
     * @return an action that undoes the deletion
     */
    Runnable delete() {
        var before = state;
        state = DELETING;
        return () -> state = before;
    }

    /**
     * Adds the instance's properties to {@code properties}.
     *
     * @param at the time of the last change
     */
    void describe(ObjectNode properties, boolean withView, Instant at) {
        properties.put("latestModelApplied", true).put("provisioningState", state);
        properties.put("timeCreated", made.toString());
        if (!withView) {
            return;
        }
        var statuses = properties.putObject("instanceView").putArray("statuses");
        Statuses.provisioning(statuses.addObject(), state, failure).put("time", at.toString());
        statuses.addObject().put("code", power).put("level", "Info");
    }
}
