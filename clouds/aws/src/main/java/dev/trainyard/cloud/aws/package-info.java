/**
 * Pools that are AWS Auto Scaling groups. The scaler uses {@link dev.trainyard.cloud.aws.AwsProvider}. Only {@code AwsCalls} knows the SDK's
 * requests, and no type of the SDK leaves the package. Pure functions on our own records interpret groups, activities and messages.
 */
@NullMarked
package dev.trainyard.cloud.aws;

import org.jspecify.annotations.NullMarked;
