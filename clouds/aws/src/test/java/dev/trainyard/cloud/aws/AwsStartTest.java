package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class AwsStartTest {

    /** A class loader that loads our classes again, and none of the SDK's. */
    private static final class WithoutSdk extends ClassLoader {

        WithoutSdk() {
            super(AwsStartTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("software.amazon.")) {
                throw new ClassNotFoundException(name);
            }
            return name.startsWith("dev.trainyard.cloud.aws.") ? own(name) : super.loadClass(name, resolve);
        }

        private Class<?> own(String name) throws ClassNotFoundException {
            var loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                var bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void aScalerWithoutAwsPoolsLoadsNothingOfTheSdk() throws Exception {
        var type = new WithoutSdk().loadClass(AwsProvider.class.getName());
        var provider = (AutoCloseable) type.getConstructor(Clock.class).newInstance(Clock.systemUTC());
        assertThat(type.getMethod("attention").invoke(provider)).hasToString("PT5S");
        assertThat(type.getMethod("limits").invoke(provider)).isNotNull();
        provider.close();
    }

    @Test
    void theTestAboveWouldNotice() {
        assertThatThrownBy(() -> Class.forName(AwsCalls.class.getName(), true, new WithoutSdk())
                        .getDeclaredConstructors())
                .isInstanceOf(NoClassDefFoundError.class);
    }
}
