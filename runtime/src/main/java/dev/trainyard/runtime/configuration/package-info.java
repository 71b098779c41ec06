/** Where pools and tiers come from: the cluster, or YAML files. */
@NullMarked
package dev.trainyard.runtime.configuration;

import org.jspecify.annotations.NullMarked;
