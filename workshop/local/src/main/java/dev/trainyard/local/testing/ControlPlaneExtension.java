package dev.trainyard.local.testing;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.binaries.BinariesUnavailableException;
import dev.trainyard.local.binaries.BinarySource;
import dev.trainyard.local.binaries.KubernetesVersion;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Set;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The JUnit extension behind {@link WithControlPlane}. */
final class ControlPlaneExtension implements BeforeAllCallback, ParameterResolver {
    private static final String VERSION_PROPERTY = "trainyard.kubernetes";
    private static final Set<Class<?>> TYPES = Set.of(ControlPlane.class, KubernetesClient.class, Namespace.class);

    /** Finds the binaries without starting them. A control plane starts only if a test has a parameter that needs one. */
    @Override
    public void beforeAll(ExtensionContext context) {
        try {
            BinarySource.standard(SharedControlPlane.PROGRESS).find(version(context));
        } catch (BinariesUnavailableException e) {
            throw WithoutBinaries.outcome(e, System.getenv());
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return TYPES.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        SharedControlPlane shared = shared(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == ControlPlane.class) {
            return shared.controlPlane();
        }
        return type == KubernetesClient.class ? shared.client() : namespace(context, shared);
    }

    private static Namespace namespace(ExtensionContext context, SharedControlPlane shared) {
        // JUnit closes the store of this test, and with it the namespace, after the test.
        return store(context)
                .computeIfAbsent(TestNamespace.class, key -> TestNamespace.create(shared.client()), TestNamespace.class)
                .namespace();
    }

    private static SharedControlPlane shared(ExtensionContext context) {
        KubernetesVersion version = version(context);
        return store(context.getRoot())
                .computeIfAbsent(version, key -> SharedControlPlane.start(version), SharedControlPlane.class);
    }

    private static KubernetesVersion version(ExtensionContext context) {
        String wanted = AnnotationSupport.findAnnotation(context.getRequiredTestClass(), WithControlPlane.class)
                .map(WithControlPlane::version)
                .orElse("");
        String text = wanted.isEmpty() ? System.getProperty(VERSION_PROPERTY, "") : wanted;
        return text.isEmpty() ? KubernetesVersion.CURRENT : KubernetesVersion.parse(text);
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(ExtensionContext.Namespace.create(ControlPlaneExtension.class));
    }
}
