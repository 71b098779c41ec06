package dev.trainyard.cloud.aws;

/**
 * The settings of a launch template or launch configuration.
 *
 * @param instanceType the instance type; empty if the group sets it
 * @param imageId the machine image; empty if the group sets it
 * @param spot whether it requests spot instances
 */
record Launch(String instanceType, String imageId, boolean spot) {}
