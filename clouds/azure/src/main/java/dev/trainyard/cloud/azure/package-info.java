/**
 * Azure's scale sets and virtual machines as pools. Azure's SDK stays in here: its REST clients only, over a pipeline of our own, so that
 * a request is made once, when a round asks for it, and an operation that takes minutes is looked at rather than waited for.
 */
@NullMarked
package dev.trainyard.cloud.azure;

import org.jspecify.annotations.NullMarked;
