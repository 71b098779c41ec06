/** The typical demand of pods. */
@NullMarked
package dev.trainyard.extender.workload;

import org.jspecify.annotations.NullMarked;
