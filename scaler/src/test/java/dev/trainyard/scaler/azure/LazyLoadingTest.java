package dev.trainyard.scaler.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.pool.Pool;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LazyLoadingTest {

    /** Whoever asks it for a class of Azure's SDK fails. */
    private static final class WithoutSdk extends ClassLoader {

        WithoutSdk() {
            super(LazyLoadingTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.azure.") || name.startsWith("reactor.")) {
                throw new ClassNotFoundException(name + " was loaded though no pool needs it");
            }
            if (!name.startsWith("dev.trainyard.scaler.azure.")) {
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
        var providers = new WithoutSdk()
                .loadClass(AzureProviders.class.getName())
                .getMethod("of", Map.class, Clock.class)
                .invoke(null, Map.of(), Clock.systemUTC());
        var scaleSets = providers.getClass().getMethod("scaleSets").invoke(providers);
        assertThat(scaleSets.getClass().getMethod("limits").invoke(scaleSets)).isNotNull();
        // The test tests: with a pool it is.
        assertThatThrownBy(() -> {
                    var attention = scaleSets.getClass().getMethod("attention").invoke(scaleSets);
                    assertThat(attention).isEqualTo(Duration.ofSeconds(5));
                    scaleSets
                            .getClass()
                            .getMethod("read", Pool.class)
                            .invoke(scaleSets, ScaleSetStage.pool("p", "s", 1));
                })
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOf(NoClassDefFoundError.class);
    }
}
