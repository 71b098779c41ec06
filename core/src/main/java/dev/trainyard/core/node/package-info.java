/** The properties of real and promised nodes. */
@NullMarked
package dev.trainyard.core.node;

import org.jspecify.annotations.NullMarked;
