/** Measurement tools of all benchmarks: alternating rounds, figures, ratios, goals. */
@NullMarked
package dev.trainyard.bench.measure;

import org.jspecify.annotations.NullMarked;
