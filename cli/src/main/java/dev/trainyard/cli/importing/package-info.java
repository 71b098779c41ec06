/** Pools and tiers from what other tools know of a cluster's machines. Files in, objects and remarks out; asks no cloud. */
@NullMarked
package dev.trainyard.cli.importing;

import org.jspecify.annotations.NullMarked;
