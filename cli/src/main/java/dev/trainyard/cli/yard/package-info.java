/** Trainyard installed on a local control plane, from the manifests that users install. */
@NullMarked
package dev.trainyard.cli.yard;

import org.jspecify.annotations.NullMarked;
