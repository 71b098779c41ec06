/** How log lines look and which of them are written. */
@NullMarked
package dev.trainyard.runtime.log;

import org.jspecify.annotations.NullMarked;
