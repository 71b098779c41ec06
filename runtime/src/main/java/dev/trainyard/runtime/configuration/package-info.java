/** The sources of pools and tiers: the cluster, or YAML files. */
@NullMarked
package dev.trainyard.runtime.configuration;

import org.jspecify.annotations.NullMarked;
