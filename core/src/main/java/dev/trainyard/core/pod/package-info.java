/** What a pod asks of a machine. */
@NullMarked
package dev.trainyard.core.pod;

import org.jspecify.annotations.NullMarked;
