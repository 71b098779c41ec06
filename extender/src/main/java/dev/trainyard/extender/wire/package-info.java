/** The requests and answers of the kube-scheduler, in its own format. */
@NullMarked
package dev.trainyard.extender.wire;

import org.jspecify.annotations.NullMarked;
