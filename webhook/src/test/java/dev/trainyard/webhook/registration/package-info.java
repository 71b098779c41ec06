@NullMarked
package dev.trainyard.webhook.registration;

import org.jspecify.annotations.NullMarked;
