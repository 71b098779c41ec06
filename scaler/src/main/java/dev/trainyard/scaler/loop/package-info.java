/** The loop, and the steps of one round: read, plan, request, remove, report. */
@NullMarked
package dev.trainyard.scaler.loop;

import org.jspecify.annotations.NullMarked;
