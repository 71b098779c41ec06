package dev.trainyard.certs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bouncycastle.util.IPAddress;

/**
 * The required content of a leaf certificate. Names are validated and normalised, so that requests with the same content are equal.
 *
 * @param commonName subject CN; clients ignore it for host names, Kubernetes reads it as the user name
 * @param organizations subject O; Kubernetes reads them as groups
 * @param dnsNames subject alternative names, lower case; the first label may be {@code *}
 * @param ipAddresses subject alternative names, literal IPv4 or IPv6 addresses
 * @param serverAuth whether a server may present the certificate
 * @param clientAuth whether a client may present the certificate
 * @param validity time from the moment of issue; shortened if the CA ends earlier
 */
public record LeafRequest(
        String commonName,
        List<String> organizations,
        List<String> dnsNames,
        List<String> ipAddresses,
        boolean serverAuth,
        boolean clientAuth,
        Duration validity) {

    private static final Duration DEFAULT_VALIDITY = Duration.ofDays(90);
    private static final int LONGEST_COMMON_NAME = 64; // RFC 5280, ub-common-name
    private static final Pattern DNS_NAME =
            Pattern.compile("(\\*\\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");

    public LeafRequest {
        if (commonName.isBlank() || commonName.length() > LONGEST_COMMON_NAME) {
            throw new TlsException("common name \"" + commonName + "\" of a certificate must have 1 to "
                    + LONGEST_COMMON_NAME + " characters; long host names belong into the DNS names");
        }
        if (validity.isNegative() || validity.isZero()) {
            throw new TlsException("validity " + validity + " of certificate \"" + commonName + "\" must be positive");
        }
        if (!serverAuth && !clientAuth) {
            throw new TlsException("certificate \"" + commonName
                    + "\" must be for servers, for clients or for both, but names neither use");
        }
        organizations = List.copyOf(organizations);
        dnsNames = dnsNames.stream().map(LeafRequest::dnsName).distinct().toList();
        ipAddresses =
                ipAddresses.stream().map(LeafRequest::ipAddress).distinct().toList();
    }

    /**
     * Returns a request for a server's certificate, valid for 90 days. The request has no names yet; set them with {@link #withDnsNames}
     * and {@link #withIpAddresses}.
     */
    public static LeafRequest forServer(String commonName) {
        return new LeafRequest(commonName, List.of(), List.of(), List.of(), true, false, DEFAULT_VALIDITY);
    }

    /** Returns a request for a client's certificate, valid for 90 days. */
    public static LeafRequest forClient(String commonName) {
        return new LeafRequest(commonName, List.of(), List.of(), List.of(), false, true, DEFAULT_VALIDITY);
    }

    /** Returns a request for a certificate of a component that is both server and client, valid for 90 days. */
    public static LeafRequest forServerAndClient(String commonName) {
        return new LeafRequest(commonName, List.of(), List.of(), List.of(), true, true, DEFAULT_VALIDITY);
    }

    public LeafRequest withOrganizations(String... organizations) {
        return new LeafRequest(
                commonName, List.of(organizations), dnsNames, ipAddresses, serverAuth, clientAuth, validity);
    }

    public LeafRequest withDnsNames(String... dnsNames) {
        return new LeafRequest(
                commonName, organizations, List.of(dnsNames), ipAddresses, serverAuth, clientAuth, validity);
    }

    public LeafRequest withIpAddresses(String... ipAddresses) {
        return new LeafRequest(
                commonName, organizations, dnsNames, List.of(ipAddresses), serverAuth, clientAuth, validity);
    }

    public LeafRequest withValidity(Duration validity) {
        return new LeafRequest(commonName, organizations, dnsNames, ipAddresses, serverAuth, clientAuth, validity);
    }

    private static String dnsName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.length() > 253
                || IPAddress.isValid(name)
                || !DNS_NAME.matcher(lower).matches()) {
            throw new TlsException("\"" + name + "\" is not a DNS name; expected something like"
                    + " trainyard-webhook.trainyard.svc (add an IP address to the IP addresses instead)");
        }
        return lower;
    }

    private static String ipAddress(String address) {
        if (!IPAddress.isValid(address)) {
            throw new TlsException("\"" + address + "\" is not an IP address; expected something like 127.0.0.1 or ::1"
                    + " (add a host name to the DNS names instead)");
        }
        try {
            return InetAddress.getByName(address).getHostAddress(); // a literal, so there is no DNS lookup
        } catch (UnknownHostException e) {
            throw new TlsException("\"" + address + "\" is not an IP address", e);
        }
    }
}
