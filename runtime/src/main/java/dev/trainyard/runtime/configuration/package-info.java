/** The sources of pools, tiers and cluster settings: the cluster, or YAML and JSON files. */
@NullMarked
package dev.trainyard.runtime.configuration;

import org.jspecify.annotations.NullMarked;
