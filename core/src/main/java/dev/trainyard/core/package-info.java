/** The shared language and rules of Trainyard. Pure: no I/O, no clock, no threads. */
@NullMarked
package dev.trainyard.core;

import org.jspecify.annotations.NullMarked;
