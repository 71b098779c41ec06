package dev.trainyard.runtime.server;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.security.GeneralSecurityException;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's TLS for servers, without application protocols. Netty's own context for servers reads a sample key when its class is loaded, and
 * initialises all of Bouncy Castle for that; each start would take a tenth longer.
 */
final class ServerTlsEngine extends SSLEngineOptions {

    @Override
    public ServerTlsEngine copy() {
        return this; // without state of its own
    }

    @Override
    public SslContextFactory sslContextFactory() {
        return new Factory();
    }

    private static final class Factory implements SslContextFactory {
        private @Nullable KeyManagerFactory keys;
        private @Nullable TrustManagerFactory trust;
        private @Nullable Set<String> cipherSuites;
        private ClientAuth clientAuth = ClientAuth.NONE;

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
            cipherSuites = enabled;
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
