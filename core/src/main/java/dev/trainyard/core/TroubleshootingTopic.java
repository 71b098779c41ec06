package dev.trainyard.core;

import java.util.Locale;

/**
 * The common problems of GPU clusters. Each problem has a heading in {@code docs/troubleshooting.md}. Log lines, Events and the results of
 * {@code trainyard check} refer to the heading. A heading is never renamed, because old logs and links refer to it.
 */
public enum TroubleshootingTopic {
    // Pods stay pending.
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
    // Pods lack parts that the webhook should have injected, or do not start.
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

    /** The file with the headings, as a path in the repository. */
    public static final String FILE = "docs/troubleshooting.md";

    /** Returns the anchor of the heading, such as {@code spot-not-to-be-had}. */
    public String anchor() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns a link to the heading: the file and the anchor, such as {@code docs/troubleshooting.md#spot-not-to-be-had}. */
    public String link() {
        return FILE + "#" + anchor();
    }

    /** Returns the text to append to a message: {@code ; see docs/troubleshooting.md#spot-not-to-be-had}. */
    public String see() {
        return "; see " + link();
    }
}
