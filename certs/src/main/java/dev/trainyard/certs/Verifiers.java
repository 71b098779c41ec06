package dev.trainyard.certs;

/** The components that verify our certificates. */
@FunctionalInterface
public interface Verifiers {
    /** Verifiers that read the CAs themselves from the store, shortly after each change. Such verifiers are assumed to trust every CA. */
    Verifiers READ_FOR_THEMSELVES = certificatePem -> true;

    /** Whether all verifiers trust the given CA certificate now. */
    boolean trust(String certificatePem);
}
