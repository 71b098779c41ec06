/** The benchmark {@code trainyard bench scoring}. */
@NullMarked
package dev.trainyard.bench.scoring;

import org.jspecify.annotations.NullMarked;
