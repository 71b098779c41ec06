package dev.trainyard.cli.check;

/**
 * The API server's answer whether a user has a right.
 *
 * @param user the user, such as {@code system:serviceaccount:trainyard-system:trainyard-scaler}
 * @param allowed the answer; unread if the API server did not answer
 */
record RightAnswer(Right right, String user, ReadResult<Boolean> allowed) {

    RightAnswer(Right right, String user, boolean allowed) {
        this(right, user, ReadResult.of(allowed));
    }
}
