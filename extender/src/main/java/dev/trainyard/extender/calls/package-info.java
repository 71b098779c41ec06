/**
 * A check whether the scheduler calls the extender. Without this check, a scheduler whose configuration lacks the extender would go
 * unnoticed.
 */
@NullMarked
package dev.trainyard.extender.calls;

import org.jspecify.annotations.NullMarked;
