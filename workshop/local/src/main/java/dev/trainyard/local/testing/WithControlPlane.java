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
 * Runs the tests of a class on a real control plane, which all classes of the JVM share. The first test with such a parameter starts it.
 *
 * <p>Test methods (and constructors, and lifecycle methods) may take a {@link dev.trainyard.local.ControlPlane} and a
 * {@link io.fabric8.kubernetes.client.KubernetesClient} of an administrator; test methods and {@code @BeforeEach} also a
 * fresh {@link io.fabric8.kubernetes.api.model.Namespace}, which is deleted after the test.
 *
 * <p>Classes may run side by side, each in its own namespaces. A class that needs the whole cluster for itself, such as its nodes,
 * its schedulers or its webhook configurations, says so: {@code @ResourceLock(WithControlPlane.CLUSTER)}.
 *
 * <p>On a machine that cannot have a control plane the tests are skipped, with the reason; when the environment says
 * {@code CI=true} they fail instead.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
@ResourceLock(value = WithControlPlane.CLUSTER, mode = ResourceAccessMode.READ)
public @interface WithControlPlane {

    /** The lock for classes that need the whole cluster. Every other class holds it for reading. */
    String CLUSTER = "the control plane of the tests";

    /**
     * The Kubernetes version, such as {@code 1.32}. By default what the system property {@code trainyard.kubernetes}
     * says, or else the current one.
     */
    String version() default "";
}
