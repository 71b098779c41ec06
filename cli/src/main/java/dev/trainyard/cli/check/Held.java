package dev.trainyard.cli.check;

/**
 * The API server's answer whether a user has a right.
 *
 * @param user such as {@code system:serviceaccount:trainyard-system:trainyard-scaler}
 * @param allowed unread if the API server did not answer
 */
record Held(Right right, String user, Part<Boolean> allowed) {

    Held(Right right, String user, boolean allowed) {
        this(right, user, Part.of(allowed));
    }
}
