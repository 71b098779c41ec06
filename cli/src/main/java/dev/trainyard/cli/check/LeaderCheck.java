package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.calls.LeaseName;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A check that a scaler leads. Only the leader acts. */
final class LeaderCheck implements Check {

    private static final String ABOUT = "scaler";
    /**
     * The largest age of a current Lease. The leader renews its Lease every few seconds, and another scaler takes over after 15 s. The rest
     * of the minute allows for clocks that differ.
     */
    private static final Duration LATELY = Duration.ofMinutes(1);

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.installation().scaler().findings(ABOUT, lease -> List.of(look(lease, seen)));
    }

    private static Finding look(Optional<Lease> lease, ClusterSnapshot seen) {
        var name = seen.setting().scalerLease();
        var spec = lease.map(Lease::getSpec);
        var holder = spec.map(found -> found.getHolderIdentity()).orElse("");
        var renewed = spec.map(found -> found.getRenewTime()).map(time -> time.toInstant());
        var age = renewed.map(time -> Duration.between(time, seen.at()));
        var recent = age.filter(old -> old.compareTo(LATELY) <= 0);
        if (recent.isPresent()) {
            return holder.isEmpty()
                    ? released(name, recent.get())
                    : Finding.ok(ABOUT, "%s leads, according to Lease %s".formatted(holder, name));
        }
        return Finding.error(ABOUT, "no scaler leads, so no machine is launched or removed")
                .on("Lease " + name)
                .field(
                        "spec.renewTime",
                        age.map(old -> "%d s ago, by %s".formatted(old.toSeconds(), holder.isEmpty() ? "none" : holder))
                                .orElse(""),
                        "less than %d s ago".formatted(LATELY.toSeconds()))
                .todo(
                        ("check that 'trainyard scaler' runs with --namespace=%s; see its log; the scaler needs the rights "
                                        + "in manifests/base/scaler/rbac.yaml")
                                .formatted(seen.setting().namespace()))
                .see(TroubleshootingTopic.NO_LEADER);
    }

    private static Finding released(LeaseName name, Duration age) {
        return Finding.warning(
                        ABOUT,
                        "Lease %s was released %d s ago by a holder that ended normally, and no replica has acquired it since"
                                .formatted(name, age.toSeconds()))
                .on("Lease " + name)
                .field("spec.holderIdentity", "", "the scaler that leads")
                .todo("check again in a minute: another replica, if any, acquires the Lease within seconds")
                .see(TroubleshootingTopic.NO_LEADER);
    }
}
