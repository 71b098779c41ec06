/** Random clusters with injected faults, each made from a seed. Invariants are checked after every step. */
@NullMarked
package dev.trainyard.chaos;

import org.jspecify.annotations.NullMarked;
