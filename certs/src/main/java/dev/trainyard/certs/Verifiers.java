package dev.trainyard.certs;

/** Those who verify our certificates. */
@FunctionalInterface
public interface Verifiers {
    /** They read the CAs where we do, and soon. */
    Verifiers READ_FOR_THEMSELVES = certificatePem -> true;

    /** Whether all of them trust that CA certificate by now. */
    boolean trust(String certificatePem);
}
