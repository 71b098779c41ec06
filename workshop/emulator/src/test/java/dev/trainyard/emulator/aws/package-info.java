@NullMarked
package dev.trainyard.emulator.aws;

import org.jspecify.annotations.NullMarked;
