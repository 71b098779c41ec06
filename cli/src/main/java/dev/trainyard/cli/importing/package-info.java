/** The imports of {@code trainyard import}: pools and tiers from the files of other tools. Only the import from AWS calls a cloud. */
@NullMarked
package dev.trainyard.cli.importing;

import org.jspecify.annotations.NullMarked;
