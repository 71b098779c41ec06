package dev.trainyard.core;

import java.util.Locale;

/**
 * What people of GPU clusters stumble over, by the heading of {@code docs/troubleshooting.md} that says what to do. Log lines, Events and
 * findings name the heading. A heading is never renamed: old logs and links lead there.
 */
public enum Trap {
    // Pods wait.
    SPOT_NOT_TO_BE_HAD,
    OVER_QUOTA,
    FITS_NO_POOL,
    NO_SUCH_TIER,
    POOL_AT_MAXIMUM,
    MACHINE_NEVER_USABLE,
    GANG_WAITS,
    NO_SCHEDULER,
    EXTENDER_NOT_ASKED,
    EXTENDER_TIMEOUT,
    NODES_REFUSED,
    // Pods lack what they should have been given, or do not start.
    WEBHOOK_MISSED_A_POD,
    WEBHOOK_NOT_CALLED,
    WEBHOOK_NOT_TRUSTED,
    WEBHOOK_KEEPS_PODS_OUT,
    FRACTION_OF_A_GPU,
    SELECTOR_IS_NO_TEXT,
    TYPOGRAPHIC_QUOTES,
    DRIVER_FILES,
    COMMAND_IN_ONE_WORD,
    IMAGES_NOT_PULLED,
    // Clouds.
    CLOUD_CANNOT_BE_READ,
    CLOUD_RIGHTS,
    KEY_STILL_ENCODED,
    ASKED_TOO_OFTEN,
    POOL_MISCONFIGURED,
    GROUP_SKIPPED,
    MACHINES_END_AT_WORK,
    EVICTED_MACHINES_STAY,
    ONE_PLACEMENT_GROUP,
    MAX_OF_THE_CLOUD,
    UNKNOWN_SIZE,
    POOLS_SHARE_MACHINES,
    SUBNET_FULL,
    // Machines.
    PROMISE_NOT_KEPT,
    MACHINE_STAYS,
    TRAINING_WAS_MOVED,
    // The installation.
    DEFINITIONS,
    INVALID_OBJECT,
    RIGHTS_MISSING,
    RIGHTS_TOO_WIDE,
    CERTIFICATES,
    NO_LEADER,
    REPLICAS_MISSING,
    SCALER_NOT_REACHED,
    OTHER_VERSION,
    OWN_PODS_WAIT,
    DNS_DOWN,
    INSTALL_REFUSED,
    NOT_CHECKED;

    /** Where the headings are, in the repository. */
    public static final String FILE = "docs/troubleshooting.md";

    /** The heading as links name it, such as {@code spot-not-to-be-had}. */
    public String anchor() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The heading with its file, such as {@code docs/troubleshooting.md#spot-not-to-be-had}. */
    public String link() {
        return FILE + "#" + anchor();
    }

    /** The end of a message: {@code ; see docs/troubleshooting.md#spot-not-to-be-had}. */
    public String see() {
        return "; see " + link();
    }
}
