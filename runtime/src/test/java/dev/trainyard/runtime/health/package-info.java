@NullMarked
package dev.trainyard.runtime.health;

import org.jspecify.annotations.NullMarked;
