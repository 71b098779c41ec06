/** {@code trainyard check}: what was seen of a cluster, and what an operator should know about it. */
@NullMarked
package dev.trainyard.cli.check;

import org.jspecify.annotations.NullMarked;
