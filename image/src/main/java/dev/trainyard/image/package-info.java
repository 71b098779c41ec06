/** Builds the container image of Trainyard without a container engine. A tool of the build: nothing of it is in the image. */
@NullMarked
package dev.trainyard.image;

import org.jspecify.annotations.NullMarked;
