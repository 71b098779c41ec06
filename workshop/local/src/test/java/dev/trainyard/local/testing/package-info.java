@NullMarked
package dev.trainyard.local.testing;

import org.jspecify.annotations.NullMarked;
