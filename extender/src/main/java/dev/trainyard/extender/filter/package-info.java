/** Which nodes are refused, and why. */
@NullMarked
package dev.trainyard.extender.filter;

import org.jspecify.annotations.NullMarked;
