/** The whole configuration, parsed and checked: every pool, every tier, every problem found in them. */
@NullMarked
package dev.trainyard.core.catalogue;

import org.jspecify.annotations.NullMarked;
