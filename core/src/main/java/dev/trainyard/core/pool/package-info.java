/** Pools: sets of identical machines that one cloud resource grows and shrinks. */
@NullMarked
package dev.trainyard.core.pool;

import org.jspecify.annotations.NullMarked;
