/** What the scaler reports of its decisions: log, Events, notices. */
@NullMarked
package dev.trainyard.scaler.report;

import org.jspecify.annotations.NullMarked;
