/** The scaler's interface to a cloud. Implemented once per kind of cloud resource. */
@NullMarked
package dev.trainyard.scaler.provider;

import org.jspecify.annotations.NullMarked;
