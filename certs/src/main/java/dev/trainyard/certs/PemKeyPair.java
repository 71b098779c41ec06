package dev.trainyard.certs;

/**
 * A certificate with its private key.
 *
 * @param certificatePem the certificate, followed by intermediates if there are any
 * @param keyPem the private key as unencrypted PEM; keys that this module creates are PKCS#8
 */
public record PemKeyPair(String certificatePem, String keyPem) {
    /** Omits the key, so that it cannot appear in a log. */
    @Override
    public String toString() {
        return "PemKeyPair[certificatePem=" + certificatePem + ", keyPem=(hidden)]";
    }
}
