package dev.trainyard.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Runs the tests of a class against Trainyard on a real control plane, which all such classes share. Test methods may take a
 * {@link dev.trainyard.workshop.cluster.TestCluster} and a {@link TrainingGround}, which is a new namespace. The first test starts
 * Trainyard.
 *
 * <p>Tests run in parallel, each with its own pools and tiers. A class that stops parts of Trainyard, or needs Trainyard exclusively, holds
 * {@code @ResourceLock(WithTestCluster.WHOLE)}. A class that uses the example pools holds {@link #EXAMPLE_POOLS}, for reading unless the
 * class counts their machines.
 *
 * <p>If the binaries of a control plane are unavailable, the tests are skipped with the reason. With {@code CI=true}, the tests fail
 * instead.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TestClusterExtension.class)
@ResourceLock(value = WithTestCluster.WHOLE, mode = ResourceAccessMode.READ)
@interface WithTestCluster {

    /** The lock for classes that need all of Trainyard. Every other class holds it for reading. */
    String WHOLE = "the Trainyard of the tests";

    /** The lock for classes whose pods run on machines of the example pools. */
    String EXAMPLE_POOLS = "the example pools";
}
