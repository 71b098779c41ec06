/** HTTPS between components: a server with its routes, the plain server for probes and metrics, and a client. */
@NullMarked
package dev.trainyard.runtime.server;

import org.jspecify.annotations.NullMarked;
