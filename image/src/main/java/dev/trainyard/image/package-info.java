/** A build tool that builds the container image of Trainyard without a container engine. The image does not contain this tool. */
@NullMarked
package dev.trainyard.image;

import org.jspecify.annotations.NullMarked;
