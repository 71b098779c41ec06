@NullMarked
package dev.trainyard.certs;

import org.jspecify.annotations.NullMarked;
