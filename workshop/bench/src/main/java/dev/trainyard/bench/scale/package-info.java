/** A benchmark of all components together in a large cluster: memory, watch lag, rounds and API calls while pods come and go. */
@NullMarked
package dev.trainyard.bench.scale;

import org.jspecify.annotations.NullMarked;
