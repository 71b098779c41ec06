/** The sources of a component's certificates: a directory, or a CA in a Secret that replicas share. */
@NullMarked
package dev.trainyard.runtime.authority;

import org.jspecify.annotations.NullMarked;
