/** Clients of the API server. */
@NullMarked
package dev.trainyard.runtime.kubernetes;

import org.jspecify.annotations.NullMarked;
