/** Load over HTTPS: connections that each send a request as soon as the one before is answered. */
@NullMarked
package dev.trainyard.bench.load;

import org.jspecify.annotations.NullMarked;
