/** Which of the remaining nodes is best. */
@NullMarked
package dev.trainyard.extender.score;

import org.jspecify.annotations.NullMarked;
