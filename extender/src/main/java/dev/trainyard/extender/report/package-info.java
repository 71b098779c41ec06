/** Reports to the scaler about pods that were left without a node. */
@NullMarked
package dev.trainyard.extender.report;

import org.jspecify.annotations.NullMarked;
