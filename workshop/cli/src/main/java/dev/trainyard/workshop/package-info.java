/** The launcher's commands that run from a checkout only: {@code demo} and {@code bench}. */
@NullMarked
package dev.trainyard.workshop;

import org.jspecify.annotations.NullMarked;
