package dev.trainyard.certs;

/** The components that verify our certificates. */
@FunctionalInterface
public interface Verifiers {
    /** Verifiers that read the CAs from the same store as we do, shortly after each change. */
    Verifiers READ_FOR_THEMSELVES = certificatePem -> true;

    /** Whether all verifiers trust that CA certificate now. */
    boolean trust(String certificatePem);
}
