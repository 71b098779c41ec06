/** A benchmark of the pods per second that a real kube-scheduler places with and without the extender. */
@NullMarked
package dev.trainyard.bench.scheduler;

import org.jspecify.annotations.NullMarked;
