/** The answers of a process to liveness and readiness probes. */
@NullMarked
package dev.trainyard.runtime.health;

import org.jspecify.annotations.NullMarked;
