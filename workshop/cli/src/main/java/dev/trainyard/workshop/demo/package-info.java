/**
 * The demo: scenarios that run on a real control plane or in a simulated cluster. The demo shows events as they happen, and checks results.
 */
@NullMarked
package dev.trainyard.workshop.demo;

import org.jspecify.annotations.NullMarked;
