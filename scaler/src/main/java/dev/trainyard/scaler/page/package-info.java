/** The status page: shows the results of the last round, their history, and recent decisions, to people and to programs. */
@NullMarked
package dev.trainyard.scaler.page;

import org.jspecify.annotations.NullMarked;
