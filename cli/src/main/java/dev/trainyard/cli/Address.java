package dev.trainyard.cli;

/** {@code HOST:PORT} as users write it; an IPv6 address stands in brackets. */
record Address(String host, int port) {

    /** @throws IllegalArgumentException the message names the option, the value and what was expected */
    static Address parse(String option, String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 0 && port <= 65535) {
                return new Address(text.substring(0, colon).replaceAll("^\\[|]$", ""), port);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "%s: '%s' is not HOST:PORT, such as 127.0.0.1:8443 or 0.0.0.0:8443".formatted(option, text));
    }
}
