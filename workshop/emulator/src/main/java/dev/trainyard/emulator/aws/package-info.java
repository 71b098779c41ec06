/**
 * AWS's Auto Scaling and EC2, as far as the scaler uses them: groups with instances, scaling activities, and the query protocol with its
 * errors. Written from the API references; {@code MotoContractTest} in the scaler holds the same provider against an AWS that others wrote.
 */
@NullMarked
package dev.trainyard.emulator.aws;

import org.jspecify.annotations.NullMarked;
