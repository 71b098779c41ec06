package dev.trainyard.cli.check;

/**
 * Whether somebody has a right, as the API server says.
 *
 * @param user such as {@code system:serviceaccount:trainyard-system:trainyard-scaler}
 */
record Held(Right right, String user, boolean allowed) {}
