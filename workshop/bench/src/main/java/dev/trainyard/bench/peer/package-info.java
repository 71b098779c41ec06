/** The peer of the webhook and the extender: a minimal server in Go. */
@NullMarked
package dev.trainyard.bench.peer;

import org.jspecify.annotations.NullMarked;
