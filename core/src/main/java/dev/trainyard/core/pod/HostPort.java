package dev.trainyard.core.pod;

/**
 * A port of its node that a pod takes for itself.
 *
 * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
 * @param ip the node's address that it is taken on; {@link #ANY} for all of them
 */
public record HostPort(String protocol, String ip, int port) {

    /** The one address that stands for all, as in {@code k8s.io/kube-scheduler/framework.HostPortInfo}; {@code ::} does not. */
    public static final String ANY = "0.0.0.0";

    /** Whether two pods that take these cannot be on one node. */
    public boolean conflictsWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (ip.equals(ANY) || other.ip.equals(ANY) || ip.equals(other.ip));
    }
}
