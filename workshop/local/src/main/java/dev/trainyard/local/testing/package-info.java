/** Tests on a real control plane: {@link dev.trainyard.local.testing.WithControlPlane}. */
@NullMarked
package dev.trainyard.local.testing;

import org.jspecify.annotations.NullMarked;
