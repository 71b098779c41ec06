/**
 * The machine sizes of the clouds, and the resources that a machine of each size leaves to pods. A pool may name a size instead of stating
 * the resources of a new node.
 */
@NullMarked
package dev.trainyard.core.machine;

import org.jspecify.annotations.NullMarked;
