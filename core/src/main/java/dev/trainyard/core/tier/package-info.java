/** Tiers: the pools that may run a kind of training, in order of preference. */
@NullMarked
package dev.trainyard.core.tier;

import org.jspecify.annotations.NullMarked;
