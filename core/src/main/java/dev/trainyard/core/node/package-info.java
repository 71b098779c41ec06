/** What a machine offers to pods, real or promised. */
@NullMarked
package dev.trainyard.core.node;

import org.jspecify.annotations.NullMarked;
