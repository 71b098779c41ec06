/** The scores of the nodes that passed the filter. */
@NullMarked
package dev.trainyard.extender.score;

import org.jspecify.annotations.NullMarked;
