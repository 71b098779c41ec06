/** How many pods a second a real kube-scheduler places with the extender, and without it. */
@NullMarked
package dev.trainyard.bench.scheduler;

import org.jspecify.annotations.NullMarked;
