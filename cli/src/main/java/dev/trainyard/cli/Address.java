package dev.trainyard.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code HOST:PORT} as users write it; an IPv6 address stands in brackets. */
record Address(String host, int port) {

    /** Reads one; what it throws is shown with the option's name. */
    static final class Converter implements ITypeConverter<Address> {
        @Override
        public Address convert(String text) {
            int colon = text.lastIndexOf(':');
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                if (colon > 0 && port >= 0 && port <= 65535) {
                    return new Address(text.substring(0, colon).replaceAll("^\\[|]$", ""), port);
                }
            } catch (NumberFormatException e) {
                // said below
            }
            throw new TypeConversionException("'%s' is not HOST:PORT, such as 127.0.0.1:8443".formatted(text));
        }
    }
}
