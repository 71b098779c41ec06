package dev.trainyard.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class against Trainyard on a real control plane, which all such classes share. Test methods may take a
 * {@link dev.trainyard.cli.yard.Yard} and a {@link TrainingGround}: a fresh namespace to train in.
 *
 * <p>Where no control plane can be had the tests are skipped, with the reason; with {@code CI=true} they fail instead.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(YardExtension.class)
@interface WithYard {}
