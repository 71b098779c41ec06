/** Child processes that never outlive this JVM, and their work directories. */
@NullMarked
package dev.trainyard.local.process;

import org.jspecify.annotations.NullMarked;
