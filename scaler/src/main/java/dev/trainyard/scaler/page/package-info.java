/** The status page: what the last round found, what it was like before, and what was decided, for people and for programs. */
@NullMarked
package dev.trainyard.scaler.page;

import org.jspecify.annotations.NullMarked;
