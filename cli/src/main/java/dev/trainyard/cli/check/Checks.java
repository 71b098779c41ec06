package dev.trainyard.cli.check;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.List;

/** All that is checked. */
public final class Checks {

    private static final List<Check> ALL = List.of(
            new DefinitionsCheck(),
            new PoolsAndTiersCheck(),
            new RegistrationCheck(),
            new SchedulerCheck(),
            new CallsCheck(),
            new RefusalsCheck());

    private Checks() {}

    /**
     * Looks at a cluster; changes nothing.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when it cannot be reached
     */
    public static List<Finding> run(KubernetesClient client, Clock clock) {
        return of(ClusterReader.read(client, clock));
    }

    static List<Finding> of(Seen seen) {
        return ALL.stream().flatMap(check -> check.look(seen).stream()).toList();
    }
}
