package dev.trainyard.e2e;

import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.binaries.BinariesUnavailableException;
import dev.trainyard.workshop.cluster.TestCluster;
import dev.trainyard.workshop.cluster.TestClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/** The JUnit extension behind {@link WithTestCluster}. */
final class TestClusterExtension implements ParameterResolver {

    private static final Set<Class<?>> TYPES = Set.of(TestCluster.class, TrainingGround.class);

    /** The options of the test cluster. Its files are below {@code target}, and Jobs run long enough to be observed. */
    static final TestClusterOptions OPTIONS = TestClusterOptions.defaults()
            .withControlPlane(ControlPlaneOptions.defaults()
                    .withParentDirectory(Path.of("target", "yard"))
                    .withJobDuration(Duration.ofSeconds(6)));

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return TYPES.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == TestCluster.class) {
            return testCluster(context);
        }
        return store(context)
                .computeIfAbsent(
                        TrainingGround.class, key -> TrainingGround.open(testCluster(context)), TrainingGround.class);
    }

    private static TestCluster testCluster(ExtensionContext context) {
        try {
            return store(context.getRoot())
                    .computeIfAbsent(SharedYard.class, key -> SharedYard.start(), SharedYard.class)
                    .testCluster();
        } catch (BinariesUnavailableException e) {
            if ("true".equals(System.getenv("CI"))) {
                throw e;
            }
            throw new TestAbortedException("skipped: no control plane can be had here: " + e.getMessage());
        }
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(ExtensionContext.Namespace.create(TestClusterExtension.class));
    }

    /** One Trainyard for all tests of the JVM, with the example pools and tiers. */
    private record SharedYard(TestCluster testCluster) implements AutoCloseable {
        static SharedYard start() {
            var testCluster = TestCluster.start(OPTIONS, step -> System.err.println("[yard] " + step));
            testCluster
                    .kubectl()
                    .succeed("apply", "-f", "manifests/examples/pools.yaml", "-f", "manifests/examples/tiers.yaml");
            return new SharedYard(testCluster);
        }

        @Override
        public void close() {
            testCluster.close();
        }
    }
}
