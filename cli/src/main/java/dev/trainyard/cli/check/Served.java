package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;

/**
 * What a server shows to those who call it.
 *
 * @param address where it was called
 * @param name that the caller asks for
 * @param leaf its certificate
 * @param distrust why a caller that trusts the CA in force would turn away; empty when it would not
 */
record Served(String address, String name, CertificateFacts leaf, String distrust) {}
