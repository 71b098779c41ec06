/** A dry run of a round on objects from files, without a cluster or a cloud. The dry run changes nothing. */
@NullMarked
package dev.trainyard.scaler.offline;

import org.jspecify.annotations.NullMarked;
