@NullMarked
package dev.trainyard.cli.fuzz;

import org.jspecify.annotations.NullMarked;
