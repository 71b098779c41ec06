/** The benchmark {@code trainyard bench webhook}. */
@NullMarked
package dev.trainyard.bench.webhook;

import org.jspecify.annotations.NullMarked;
