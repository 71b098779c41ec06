@NullMarked
package dev.trainyard.runtime.namespace;

import org.jspecify.annotations.NullMarked;
