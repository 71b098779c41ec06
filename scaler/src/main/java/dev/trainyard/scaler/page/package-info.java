/** The status page: the results of the last round, their history, and decisions, for people and for programs. */
@NullMarked
package dev.trainyard.scaler.page;

import org.jspecify.annotations.NullMarked;
