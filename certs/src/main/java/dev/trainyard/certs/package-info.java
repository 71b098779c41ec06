/** Trainyard's own certificate authority, the certificates of components, and the directory that contains them. */
@NullMarked
package dev.trainyard.certs;

import org.jspecify.annotations.NullMarked;
