/** Trainyard's own certificate authority, the certificates that components serve with, and the directory they live in. */
@NullMarked
package dev.trainyard.certs;

import org.jspecify.annotations.NullMarked;
