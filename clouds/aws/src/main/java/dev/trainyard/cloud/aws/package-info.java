/**
 * Pools that are AWS Auto Scaling groups. {@link dev.trainyard.cloud.aws.AwsProvider} is what the scaler sees; {@code AwsCalls} is the only
 * class that knows the SDK's requests, and nothing of the SDK leaves the package. What groups, activities and messages mean is decided in
 * pure functions of own records.
 */
@NullMarked
package dev.trainyard.cloud.aws;

import org.jspecify.annotations.NullMarked;
