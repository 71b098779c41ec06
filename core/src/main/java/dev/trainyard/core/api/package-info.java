/**
 * The specs and statuses of the custom resources, as Java types. The schemas of the CustomResourceDefinitions are generated from these
 * types.
 */
@NullMarked
package dev.trainyard.core.api;

import org.jspecify.annotations.NullMarked;
