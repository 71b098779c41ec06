/**
 * Pools of Azure's scale sets and virtual machines. Only this package uses Azure's SDK. It uses only the SDK's REST clients, with a request
 * pipeline of our own. The pipeline does not retry, because the scaler retries failed calls itself. An operation that takes minutes is polled
 * and not awaited.
 */
@NullMarked
package dev.trainyard.cloud.azure;

import org.jspecify.annotations.NullMarked;
