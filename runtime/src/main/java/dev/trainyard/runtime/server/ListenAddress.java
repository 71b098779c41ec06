package dev.trainyard.runtime.server;

/**
 * Where to listen: {@code HOST:PORT} as users write it, an IPv6 address in brackets.
 *
 * @param port 0 finds a free one
 */
public record ListenAddress(String host, int port) {

    /**
     * Parses an address of the form {@code HOST:PORT}.
     *
     * @throws IllegalArgumentException when it is not HOST:PORT; the message is for the user
     */
    public static ListenAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= 65535) {
                return new ListenAddress(unbracketed(text.substring(0, colon)), port);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "'%s' is not HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443 (port 0 finds a free one)"
                        .formatted(text));
    }

    /** The host by which this machine itself reaches what listens here. */
    public String reachableHost() {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
