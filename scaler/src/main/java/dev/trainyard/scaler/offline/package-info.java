/** A dry run of a round over objects from files. Only reads; needs no cluster and no cloud. */
@NullMarked
package dev.trainyard.scaler.offline;

import org.jspecify.annotations.NullMarked;
