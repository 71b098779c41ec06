/** The format of log lines, and the choice of lines that are written. */
@NullMarked
package dev.trainyard.runtime.log;

import org.jspecify.annotations.NullMarked;
