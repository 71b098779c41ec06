@NullMarked
package dev.trainyard.runtime.server;

import org.jspecify.annotations.NullMarked;
