/** The commands of the executable. */
@NullMarked
package dev.trainyard.cli;

import org.jspecify.annotations.NullMarked;
