/** The scheduler extender: it filters and scores nodes for training pods, by rules that the scheduler itself does not know. */
@NullMarked
package dev.trainyard.extender;

import org.jspecify.annotations.NullMarked;
