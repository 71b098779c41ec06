/** Random clusters with injected faults, from one seed each; invariants are checked after every step. */
@NullMarked
package dev.trainyard.chaos;

import org.jspecify.annotations.NullMarked;
