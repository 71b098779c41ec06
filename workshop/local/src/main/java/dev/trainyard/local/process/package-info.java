/** Child processes that never outlive this one, and their work directories. */
@NullMarked
package dev.trainyard.local.process;

import org.jspecify.annotations.NullMarked;
