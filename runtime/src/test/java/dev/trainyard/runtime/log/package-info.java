@NullMarked
package dev.trainyard.runtime.log;

import org.jspecify.annotations.NullMarked;
