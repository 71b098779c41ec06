package dev.trainyard.extender;

/**
 * Where to listen.
 *
 * @param port 0 finds a free one
 */
public record ListenAddress(String host, int port) {

    /** The host by which this machine itself reaches what listens here. */
    String reachableHost() {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
