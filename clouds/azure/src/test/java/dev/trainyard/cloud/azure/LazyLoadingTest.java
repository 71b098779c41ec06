package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.scaler.provider.CloudModule;
import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LazyLoadingTest {

    /** A class loader that fails to load classes of Azure's SDK. */
    private static final class WithoutSdk extends ClassLoader {

        WithoutSdk() {
            super(LazyLoadingTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.azure.") || name.startsWith("reactor.")) {
                throw new ClassNotFoundException(name + " was loaded though no pool needs it");
            }
            if (!name.startsWith("dev.trainyard.cloud.azure.")) {
                return super.loadClass(name, resolve);
            }
            var loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (var code = getResourceAsStream(name.replace('.', '/') + ".class")) {
                var bytes = code.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void withoutAnAzurePoolNothingOfTheSdkIsLoaded() throws Exception {
        var module = new WithoutSdk().loadClass(AzureModule.class.getName());
        var scaleSets = ((CloudModule) module.getConstructor().newInstance())
                .open(Map.of(), false, Clock.systemUTC())
                .get("azureScaleSet");
        assertThat(scaleSets.limits()).isNotNull();
        // With a pool, the SDK is loaded, which shows that this test detects it.
        assertThatThrownBy(() -> scaleSets.read(ScaleSetStage.pool("p", "s", 1)))
                .isInstanceOf(NoClassDefFoundError.class);
    }
}
