/** How large the clouds' machines are, and what of them is left to pods. For pools that name a size instead of stating a promise. */
@NullMarked
package dev.trainyard.core.machine;

import org.jspecify.annotations.NullMarked;
