/**
 * An emulator of the parts of AWS's Auto Scaling and EC2 that the scaler uses: groups with instances, scaling activities, and the query
 * protocol with its errors. It follows the API references. {@code MotoContractTest} in {@code clouds/aws} checks the same provider against
 * an independent emulator.
 */
@NullMarked
package dev.trainyard.emulator.aws;

import org.jspecify.annotations.NullMarked;
