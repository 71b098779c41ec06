package dev.trainyard.local.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * An annotation that runs the tests of a class on a real control plane. All classes of the JVM share the control plane. The first test with
 * one of the parameters below starts the control plane.
 *
 * <p>Constructors, test methods and lifecycle methods may take a {@link dev.trainyard.local.ControlPlane} and an administrator's
 * {@link io.fabric8.kubernetes.client.KubernetesClient}. Test methods and {@code @BeforeEach} may also take a new
 * {@link io.fabric8.kubernetes.api.model.Namespace}, which is deleted after the test.
 *
 * <p>Classes may run in parallel, each in its own namespaces. A class that needs the whole cluster, such as its nodes, schedulers or
 * webhook configurations, must be annotated with {@code @ResourceLock(WithControlPlane.CLUSTER)}.
 *
 * <p>If the binaries are unavailable, the tests are skipped with the reason. If the environment has {@code CI=true}, the tests fail
 * instead.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
@ResourceLock(value = WithControlPlane.CLUSTER, mode = ResourceAccessMode.READ)
public @interface WithControlPlane {

    /** The lock for classes that need the whole cluster. Every other class holds the lock for reading. */
    String CLUSTER = "the control plane of the tests";

    /**
     * The Kubernetes version, such as {@code 1.32}. The default is the system property {@code trainyard.kubernetes}, or else the current
     * version.
     */
    String version() default "";
}
