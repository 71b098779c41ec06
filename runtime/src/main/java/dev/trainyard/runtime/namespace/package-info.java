/** The known namespaces, from the cluster or from files. */
@NullMarked
package dev.trainyard.runtime.namespace;

import org.jspecify.annotations.NullMarked;
