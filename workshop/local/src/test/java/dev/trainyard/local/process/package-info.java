@NullMarked
package dev.trainyard.local.process;

import org.jspecify.annotations.NullMarked;
