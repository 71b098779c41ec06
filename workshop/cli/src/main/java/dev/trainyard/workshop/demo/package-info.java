/** The demo: scenarios played on a real control plane, told as they happen, and checked. */
@NullMarked
package dev.trainyard.workshop.demo;

import org.jspecify.annotations.NullMarked;
