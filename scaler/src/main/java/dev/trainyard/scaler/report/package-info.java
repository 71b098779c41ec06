/** Reports of the scaler's decisions: log lines, Events and notices. */
@NullMarked
package dev.trainyard.scaler.report;

import org.jspecify.annotations.NullMarked;
