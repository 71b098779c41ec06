/** The types and rules that all components of Trainyard share. Pure: no I/O, no clock, no threads. */
@NullMarked
package dev.trainyard.core;

import org.jspecify.annotations.NullMarked;
