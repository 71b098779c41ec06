package dev.trainyard.core.pod;

/**
 * A host port: a port of the node that a pod occupies.
 *
 * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
 * @param ip the address of the node that the port is bound to; {@link #ANY} for all addresses
 */
public record HostPort(String protocol, String ip, int port) {

    /**
     * The address that stands for all addresses, as in {@code k8s.io/kube-scheduler/framework.HostPortInfo}. {@code ::} does not stand for
     * all addresses.
     */
    public static final String ANY = "0.0.0.0";

    /** Whether two pods with these host ports cannot run on the same node. */
    public boolean conflictsWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (ip.equals(ANY) || other.ip.equals(ANY) || ip.equals(other.ip));
    }
}
