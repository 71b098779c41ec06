/** What the kube-scheduler sends and reads, in its own spelling. */
@NullMarked
package dev.trainyard.extender.wire;

import org.jspecify.annotations.NullMarked;
