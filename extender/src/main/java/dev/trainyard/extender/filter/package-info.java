/** The filter of nodes, and its reasons. */
@NullMarked
package dev.trainyard.extender.filter;

import org.jspecify.annotations.NullMarked;
