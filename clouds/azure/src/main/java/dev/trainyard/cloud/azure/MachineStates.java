package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What Azure says of a virtual machine, in the words of {@link State}. Pure. */
final class MachineStates {

    private static final String POWER = "PowerState/";
    private static final String FAILED = "ProvisioningState/failed";

    private MachineStates() {}

    /**
     * A machine that was asked for and does not run is being made; one that cannot be made has failed, and so has a spot machine that was
     * evicted and kept. A machine that fails at something while it runs, such as an extension, may serve all the same: whether its node
     * joins decides. So it is with a machine that somebody stopped.
     *
     * @param provisioning of the machine's last change: Creating, Updating, Succeeded, Failed, Deleting, ...
     */
    static State of(@Nullable String provisioning, List<InstanceViewStatus> statuses, boolean spot) {
        var state = provisioning == null ? "" : provisioning.toLowerCase(Locale.ROOT);
        var power = power(statuses);
        return switch (state) {
            case "deleting" -> State.DELETING;
            case "failed" -> isUp(power) ? State.RUNNING : State.FAILED;
            case "creating" -> State.CREATING;
            default -> {
                if (isEvicted(power, spot)) {
                    yield State.FAILED;
                }
                boolean settled = state.equals("succeeded") || state.equals("migrating");
                yield isUp(power) || (settled && !power.equals("starting")) ? State.RUNNING : State.CREATING;
            }
        };
    }

    /** The error that a machine failed with, where Azure tells it: its code, its words and its time. */
    record Told(ArmError error, Optional<Instant> at) {
        /** As of a time where Azure tells none: a failure without one would never be heard of. */
        Told orAt(Instant time) {
            return at.isPresent() ? this : new Told(error, Optional.of(time));
        }
    }

    static Optional<Told> failure(List<InstanceViewStatus> statuses) {
        return statuses.stream()
                .filter(status -> status.code() != null
                        && status.code().toLowerCase(Locale.ROOT).startsWith(FAILED.toLowerCase(Locale.ROOT)))
                .findFirst()
                .map(status -> new Told(
                        ArmError.of(
                                200,
                                code(status.code()),
                                Optional.ofNullable(status.message())
                                        .or(() -> Optional.ofNullable(status.displayStatus()))
                                        .orElse("")),
                        Optional.ofNullable(status.time()).map(time -> time.toInstant())));
    }

    /** The last part of {@code ProvisioningState/failed/AllocationFailed}. */
    private static String code(String status) {
        return status.length() > FAILED.length() + 1 ? status.substring(FAILED.length() + 1) : "";
    }

    private static String power(List<InstanceViewStatus> statuses) {
        return statuses.stream()
                .map(InstanceViewStatus::code)
                .filter(code -> code != null && code.regionMatches(true, 0, POWER, 0, POWER.length()))
                .findFirst()
                .map(code -> code.substring(POWER.length()).toLowerCase(Locale.ROOT))
                .orElse("");
    }

    private static boolean isUp(String power) {
        return power.equals("running");
    }

    private static boolean isEvicted(String power, boolean spot) {
        return spot && (power.equals("deallocated") || power.equals("deallocating"));
    }
}
