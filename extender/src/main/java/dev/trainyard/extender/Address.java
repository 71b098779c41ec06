package dev.trainyard.extender;

/**
 * Where to listen.
 *
 * @param port 0 finds a free one
 */
public record Address(String host, int port) {

    /** @throws IllegalArgumentException when it is not HOST:PORT; the message is for the user */
    public static Address parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= 65535) {
                return new Address(unbracketed(text.substring(0, colon)), port);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "'%s' is not HOST:PORT, such as 127.0.0.1:8444 or [::1]:8444 (port 0 finds a free one)"
                        .formatted(text));
    }

    /** The host by which this machine itself reaches what listens here. */
    String reachableHost() {
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
