/**
 * The rules that decide which pods the webhook changes, and which tier each pod gets. The scaler applies the same rules to check whether
 * the webhook changed a pod.
 */
@NullMarked
package dev.trainyard.core.admission;

import org.jspecify.annotations.NullMarked;
