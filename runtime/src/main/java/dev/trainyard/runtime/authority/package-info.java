/** Where a component's certificates come from: a directory, or a CA in a Secret that replicas share. */
@NullMarked
package dev.trainyard.runtime.authority;

import org.jspecify.annotations.NullMarked;
