package dev.trainyard.runtime.server;

/**
 * An address to listen on: {@code HOST:PORT} as users write it, with an IPv6 address in brackets.
 *
 * @param port port; 0 selects a free one
 */
public record ListenAddress(String host, int port) {

    /**
     * Parses an address of the form {@code HOST:PORT}.
     *
     * @throws IllegalArgumentException if the text is not HOST:PORT; the message is for the user
     */
    public static ListenAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= 65535) {
                return new ListenAddress(unbracketed(text.substring(0, colon)), port);
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "'%s' is not HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443 (port 0 selects a free port)"
                        .formatted(text));
    }

    /** Returns the host at which this machine itself reaches the listener. */
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
