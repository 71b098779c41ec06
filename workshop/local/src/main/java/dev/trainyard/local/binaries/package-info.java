/** Where the programs of the control plane come from: given, cached, downloaded or compiled. */
@NullMarked
package dev.trainyard.local.binaries;

import org.jspecify.annotations.NullMarked;
