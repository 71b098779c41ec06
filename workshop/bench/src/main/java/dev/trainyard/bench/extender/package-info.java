/** The benchmark {@code trainyard bench extender}. */
@NullMarked
package dev.trainyard.bench.extender;

import org.jspecify.annotations.NullMarked;
