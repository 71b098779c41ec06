package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;

/**
 * The certificate that a server shows to its callers.
 *
 * @param address the address that was called
 * @param name the name that the caller expects
 * @param leaf the server's certificate
 * @param distrust why a caller that trusts the current CA would reject the certificate; empty if the caller would accept it
 */
record ServedCertificate(String address, String name, CertificateFacts leaf, String distrust) {}
