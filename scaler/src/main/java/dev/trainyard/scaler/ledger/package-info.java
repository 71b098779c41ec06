/** The state of a pool that the scaler keeps between rounds and over a restart. */
@NullMarked
package dev.trainyard.scaler.ledger;

import org.jspecify.annotations.NullMarked;
