package dev.trainyard.cli.check;

import java.util.List;

/** All that is checked. */
public final class Checks {

    private static final List<Check> ALL = List.of(
            new VersionsCheck(),
            new DefinitionsCheck(),
            new PoolsAndTiersCheck(),
            new NamespacesCheck(),
            new PromiseCheck(),
            new RightsCheck(),
            new PoliciesCheck(),
            new RegistrationCheck(),
            new TrialsCheck(),
            new CertificatesCheck(),
            new MountedTlsCheck(),
            new NamedCheck(),
            new ReplicasCheck(),
            new ServicesCheck(),
            new SchedulerCheck(),
            new SchedulerFileCheck(),
            new ExtenderCheck(),
            new CallsCheck(),
            new RefusalsCheck(),
            new LeaderCheck(),
            new CloudsCheck());

    private Checks() {}

    static List<Finding> of(Seen seen) {
        return ALL.stream().flatMap(check -> check.look(seen).stream()).toList();
    }

    /**
     * Looks at a cluster; changes nothing.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when it cannot be reached, or does not know who asks
     */
    public static List<Finding> run(ClusterReader reader) {
        return of(reader.read());
    }
}
