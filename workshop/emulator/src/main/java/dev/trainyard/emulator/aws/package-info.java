/**
 * An emulator of the parts of AWS's Auto Scaling and EC2 that the scaler uses: groups with instances, scaling activities, and the query
 * protocol with its errors. The emulator follows AWS's API references. {@code MotoContractTest} in {@code clouds/aws} checks the scaler's
 * AWS provider against an independent emulator.
 */
@NullMarked
package dev.trainyard.emulator.aws;

import org.jspecify.annotations.NullMarked;
