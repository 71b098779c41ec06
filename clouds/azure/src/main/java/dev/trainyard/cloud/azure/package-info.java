/**
 * Pools of Azure's scale sets and virtual machines. Only this package uses Azure's SDK, and only its REST clients, over a pipeline of our own.
 * This way, a request is made once, when a round of the scaler needs it, and an operation that takes minutes is polled
 * rather than awaited.
 */
@NullMarked
package dev.trainyard.cloud.azure;

import org.jspecify.annotations.NullMarked;
