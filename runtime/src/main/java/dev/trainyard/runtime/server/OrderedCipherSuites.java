package dev.trainyard.runtime.server;

import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The JDK's TLS engine with cipher suites in order of preference. Vert.x keeps the enabled suites in a set without an order, so the server
 * would prefer a suite at random. Immutable.
 */
final class OrderedCipherSuites extends JdkSSLEngineOptions {

    private final List<String> preferred;

    OrderedCipherSuites(List<String> preferred) {
        this.preferred = List.copyOf(preferred);
    }

    @Override
    public OrderedCipherSuites copy() {
        return this;
    }

    @Override
    public SslContextFactory sslContextFactory() {
        return new DefaultSslContextFactory(SslProvider.JDK, false) {
            @Override
            public SslContextFactory enabledCipherSuites(Set<String> enabled) {
                var ordered = new LinkedHashSet<>(preferred);
                ordered.retainAll(enabled);
                return super.enabledCipherSuites(ordered);
            }
        };
    }
}
