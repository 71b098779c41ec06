/** Random clusters with injected faults, each made from a seed. Invariants are checked during the whole run. */
@NullMarked
package dev.trainyard.chaos;

import org.jspecify.annotations.NullMarked;
