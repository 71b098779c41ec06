/** What the extender tells the scaler, as JSON. */
@NullMarked
package dev.trainyard.core.report;

import org.jspecify.annotations.NullMarked;
