/** What the scaler must remember of a pool from round to round and over a restart. */
@NullMarked
package dev.trainyard.scaler.ledger;

import org.jspecify.annotations.NullMarked;
