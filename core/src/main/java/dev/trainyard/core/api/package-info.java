/** The wire form of the custom resources, from which their schemas are generated. */
@NullMarked
package dev.trainyard.core.api;

import org.jspecify.annotations.NullMarked;
