/** The state of every node, kept up to date from the cluster. */
@NullMarked
package dev.trainyard.extender.node;

import org.jspecify.annotations.NullMarked;
