package dev.trainyard.cli.check;

/**
 * Whether somebody has a right, as the API server says.
 *
 * @param user such as {@code system:serviceaccount:trainyard-system:trainyard-scaler}
 * @param allowed unread where the API server did not answer
 */
record Held(Right right, String user, Part<Boolean> allowed) {

    Held(Right right, String user, boolean allowed) {
        this(right, user, Part.of(allowed));
    }
}
