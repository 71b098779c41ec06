package dev.trainyard.cloud.aws;

/**
 * How a launch template or launch configuration has instances made.
 *
 * @param instanceType empty when it leaves that to the group
 * @param imageId empty when it leaves that to the group
 * @param spot whether it asks for spot instances
 */
record Launch(String instanceType, String imageId, boolean spot) {}
