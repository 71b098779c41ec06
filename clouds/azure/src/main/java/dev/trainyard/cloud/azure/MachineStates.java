package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The conversion of Azure's states of a virtual machine to {@link State}. Pure. */
final class MachineStates {

    private static final String POWER = "PowerState/";
    private static final String FAILED = "ProvisioningState/failed";

    private MachineStates() {}

    /**
     * Returns the state of a machine. A requested machine that does not run yet is being created. A machine that Azure cannot create has
     * failed. A spot machine that was evicted and kept has failed too. A running machine still counts as running if, for example, an
     * extension failed, because its node may join. A machine that a user stopped also counts as running.
     *
     * @param provisioning the state of the machine's last change: Creating, Updating, Succeeded, Failed, Deleting, ...
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

    /** The error of a failed machine as Azure reports it, and the time of the error; empty if Azure reports no time. */
    record Told(ArmError error, Optional<Instant> at) {
        /** Returns the error with the given time if Azure reports no time. A failure without a time would never be reported. */
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

    /** Returns the error code, which is the last part of {@code ProvisioningState/failed/AllocationFailed}. */
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
