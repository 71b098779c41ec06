/** The demo: scenarios that run on a real control plane, with events shown as they happen and results checked. */
@NullMarked
package dev.trainyard.workshop.demo;

import org.jspecify.annotations.NullMarked;
