/**
 * The sizes of the clouds' machines, and the resources that they leave to pods. Pools use them if they name a size instead of stating a
 * promise.
 */
@NullMarked
package dev.trainyard.core.machine;

import org.jspecify.annotations.NullMarked;
