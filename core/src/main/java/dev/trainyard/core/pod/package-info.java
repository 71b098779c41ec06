/** The requests and constraints of pods. */
@NullMarked
package dev.trainyard.core.pod;

import org.jspecify.annotations.NullMarked;
