/** The kube-scheduler's requests and the extender's answers, in the kube-scheduler's format. */
@NullMarked
package dev.trainyard.extender.wire;

import org.jspecify.annotations.NullMarked;
