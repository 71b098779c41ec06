package dev.trainyard.runtime.server;

import java.security.Principal;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** A reader of the common name in the client certificate of a TLS session. The session caches the name. */
final class ClientName {
    private static final String KEY = "trainyard.client-name";

    private ClientName() {}

    static Optional<String> of(@Nullable SSLSession session) {
        if (session == null) {
            return Optional.empty();
        }
        if (session.getValue(KEY) instanceof String known) {
            return Optional.of(known);
        }
        try {
            Optional<String> name = commonName(session.getPeerPrincipal());
            name.ifPresent(found -> session.putValue(KEY, found));
            return name;
        } catch (SSLPeerUnverifiedException | InvalidNameException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> commonName(Principal principal) throws InvalidNameException {
        return new LdapName(principal.getName())
                .getRdns().stream()
                        .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
                        .map(Rdn::getValue)
                        .map(String::valueOf)
                        .findFirst();
    }
}
