/** What a round looks at: pods that wait, nodes with what runs on them, pools. Immutable, no I/O. */
@NullMarked
package dev.trainyard.scaler.observe;

import org.jspecify.annotations.NullMarked;
