package dev.trainyard.e2e;

import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A reader of a server's certificate. */
final class PresentedCertificate {

    private PresentedCertificate() {}

    /** Returns the serial number of a loopback port's certificate. Accepts any certificate, because no data is sent. */
    static BigInteger of(int port) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustsAll()}, null);
            try (var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
                socket.startHandshake();
                var certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
                return certificate.getSerialNumber();
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError("port %d presents no certificate".formatted(port), e);
        }
    }

    private static final class TrustsAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
