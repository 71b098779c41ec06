/** The whole configuration, parsed and checked: all pools, all tiers, and all problems in them. */
@NullMarked
package dev.trainyard.core.catalogue;

import org.jspecify.annotations.NullMarked;
