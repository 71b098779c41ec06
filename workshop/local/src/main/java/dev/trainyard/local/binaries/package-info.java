/** Sources of the control plane's programs: given directories, cache, downloads and compilation. */
@NullMarked
package dev.trainyard.local.binaries;

import org.jspecify.annotations.NullMarked;
