/** What all benchmarks do with measurements: rounds in turns, figures, ratios, targets. */
@NullMarked
package dev.trainyard.bench.measure;

import org.jspecify.annotations.NullMarked;
