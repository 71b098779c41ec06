package dev.trainyard.runtime.server;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's TLS for servers, with cipher suites in order of preference, and without application protocols. Vert.x keeps the enabled suites in
 * a set without an order, so the server would prefer a suite at random. Netty's own context for servers reads a sample key when its class is
 * loaded, and initialises all of Bouncy Castle for that: each start would take a tenth longer. Immutable.
 */
final class ServerTlsEngine extends SSLEngineOptions {

    private final List<String> preferred;

    ServerTlsEngine(List<String> preferred) {
        this.preferred = List.copyOf(preferred);
    }

    @Override
    public ServerTlsEngine copy() {
        return this;
    }

    @Override
    public SslContextFactory sslContextFactory() {
        return new Factory(preferred);
    }

    private static final class Factory implements SslContextFactory {
        private final List<String> preferred;
        private @Nullable KeyManagerFactory keys;
        private @Nullable TrustManagerFactory trust;
        private List<String> cipherSuites = List.of();
        private ClientAuth clientAuth = ClientAuth.NONE;

        private Factory(List<String> preferred) {
            this.preferred = preferred;
        }

        @Override
        public SslContextFactory keyMananagerFactory(KeyManagerFactory factory) {
            keys = factory;
            return this;
        }

        @Override
        public SslContextFactory trustManagerFactory(TrustManagerFactory factory) {
            trust = factory;
            return this;
        }

        @Override
        public SslContextFactory enabledCipherSuites(Set<String> enabled) {
            cipherSuites = preferred.stream().filter(enabled::contains).toList();
            return this;
        }

        @Override
        public SslContextFactory clientAuth(ClientAuth required) {
            clientAuth = required;
            return this;
        }

        @Override
        public SslContext create() throws SSLException {
            try {
                var context = SSLContext.getInstance("TLS");
                context.init(
                        keys == null ? null : keys.getKeyManagers(),
                        trust == null ? null : trust.getTrustManagers(),
                        null);
                return new JdkSslContext(
                        context,
                        false,
                        cipherSuites,
                        IdentityCipherSuiteFilter.INSTANCE,
                        null,
                        clientAuth,
                        null,
                        false);
            } catch (GeneralSecurityException e) {
                throw new SSLException("TLS cannot be set up: " + e.getMessage(), e);
            }
        }
    }
}
