/** The webhook: completes training pods while they are being created. */
@NullMarked
package dev.trainyard.webhook;

import org.jspecify.annotations.NullMarked;
