package dev.trainyard.certs;

/**
 * A certificate with its private key.
 *
 * @param certificatePem the certificate, followed by intermediates if there are any
 * @param keyPem the private key as unencrypted PEM; what this module makes is PKCS#8
 */
public record PemKeyPair(String certificatePem, String keyPem) {
    /** Never shows the key, so that it cannot slip into a log. */
    @Override
    public String toString() {
        return "PemKeyPair[certificatePem=" + certificatePem + ", keyPem=(hidden)]";
    }
}
