/** Child processes that never outlive this one, and the directories they work in. */
@NullMarked
package dev.trainyard.local.process;

import org.jspecify.annotations.NullMarked;
