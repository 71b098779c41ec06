package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import java.util.List;
import java.util.stream.Stream;

/** The list of all checks. */
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
            new DryRunCheck(),
            new CertificatesCheck(),
            new MountedTlsCheck(),
            new RequiredObjectsCheck(),
            new ReplicasCheck(),
            new ServicesCheck(),
            new SchedulerCheck(),
            new SchedulerFileCheck(),
            new ExtenderCheck(),
            new CallsCheck(),
            new PendingPodsCheck(),
            new LeaderCheck(),
            new CloudsCheck());

    private Checks() {}

    static List<Finding> of(ClusterSnapshot seen) {
        return of(ALL, seen);
    }

    /** Runs all checks, even if one of them fails. */
    static List<Finding> of(List<Check> checks, ClusterSnapshot seen) {
        var release = Release.of(seen);
        return checks.stream()
                .flatMap(check -> look(check, seen).stream())
                .map(finding -> release.map(helm -> helm.words(finding)).orElse(finding))
                .toList();
    }

    private static List<Finding> look(Check check, ClusterSnapshot seen) {
        try {
            return check.look(seen);
        } catch (RuntimeException e) { // a bug of this project, or an object that no API server should have accepted
            var place = Stream.of(e.getStackTrace())
                    .filter(frame -> frame.getClassName().startsWith("dev.trainyard."))
                    .findFirst()
                    .map(frame -> " at " + frame)
                    .orElse("");
            return List.of(
                    Finding.warning(check.getClass().getSimpleName(), "could not be checked: %s%s".formatted(e, place))
                            .todo("please report this line; the other findings are still valid")
                            .see(TroubleshootingTopic.NOT_CHECKED));
        }
    }

    /**
     * Checks a cluster; changes nothing.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException if the cluster cannot be reached, or rejects the credentials
     */
    public static List<Finding> run(ClusterReader reader) {
        return of(reader.read());
    }
}
