/** Load over HTTPS: each connection sends a request as soon as its last one is answered. */
@NullMarked
package dev.trainyard.bench.load;

import org.jspecify.annotations.NullMarked;
