/** Traces in the openb format of Alibaba's GPU clusters: machines, pods and orders of arrival. */
@NullMarked
package dev.trainyard.bench.scoring.trace;

import org.jspecify.annotations.NullMarked;
