@NullMarked
package dev.trainyard.local;

import org.jspecify.annotations.NullMarked;
