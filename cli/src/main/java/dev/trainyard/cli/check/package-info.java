/** The checks of {@code trainyard check}: a snapshot of a cluster, and the findings for its operator. */
@NullMarked
package dev.trainyard.cli.check;

import org.jspecify.annotations.NullMarked;
