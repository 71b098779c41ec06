/** How clouds are called: each pool's calls one after the other, all pools' at the same time, within what their APIs allow. */
@NullMarked
package dev.trainyard.scaler.calls;

import org.jspecify.annotations.NullMarked;
