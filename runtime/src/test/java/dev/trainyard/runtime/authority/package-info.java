@NullMarked
package dev.trainyard.runtime.authority;

import org.jspecify.annotations.NullMarked;
