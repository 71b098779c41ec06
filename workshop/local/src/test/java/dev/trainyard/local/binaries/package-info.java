@NullMarked
package dev.trainyard.local.binaries;

import org.jspecify.annotations.NullMarked;
