package dev.trainyard.cli.check;

import dev.trainyard.extender.calls.LeaseName;
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
            new ExtenderCheck(),
            new CallsCheck(),
            new RefusalsCheck());

    private Checks() {}

    /**
     * Looks at a cluster; changes nothing.
     *
     * @param scheduler the Lease of our scheduler
     * @throws io.fabric8.kubernetes.client.KubernetesClientException when it cannot be reached
     */
    public static List<Finding> run(KubernetesClient client, LeaseName scheduler, Clock clock) {
        return of(ClusterReader.read(client, scheduler, clock));
    }

    static List<Finding> of(Seen seen) {
        return ALL.stream().flatMap(check -> check.look(seen).stream()).toList();
    }
}
