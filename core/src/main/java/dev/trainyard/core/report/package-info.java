/** The reports from the extender to the scaler, as JSON. */
@NullMarked
package dev.trainyard.core.report;

import org.jspecify.annotations.NullMarked;
