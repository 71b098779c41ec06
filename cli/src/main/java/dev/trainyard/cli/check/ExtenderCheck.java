package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.extender.calls.Heartbeat;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A check that an extender runs. */
final class ExtenderCheck implements Check {

    private static final String ABOUT = "extender";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        if (!seen.usesExtender()) {
            return List.of(Finding.ok(
                    ABOUT,
                    "not used: Deployment %s/%s has no extender, so kube-scheduler's own plugins choose nodes"
                            .formatted(seen.setting().namespace(), Names.SCHEDULER)));
        }
        return seen.scheduling().extender().findings(ABOUT, lease -> List.of(look(lease, seen)));
    }

    /** Whether an extender may be running; false only if certainly none is running. */
    static boolean mayRun(ClusterSnapshot seen) {
        return seen.scheduling().extender().value().isEmpty() || runs(seen);
    }

    /** Whether an extender is running; true only if this is certain. */
    static boolean runs(ClusterSnapshot seen) {
        return seen.scheduling()
                .extender()
                .value()
                .flatMap(lease -> age(lease, seen.at()))
                .filter(ExtenderCheck::isFresh)
                .isPresent();
    }

    private static Finding look(Optional<Lease> lease, ClusterSnapshot seen) {
        var name = Heartbeat.beside(seen.setting().schedulerLease());
        var age = age(lease, seen.at());
        if (age.filter(ExtenderCheck::isFresh).isPresent()) {
            return Finding.ok(ABOUT, "runs on %s, according to Lease %s".formatted(holder(lease), name));
        }
        var what = age.map(old -> "Lease %s was last renewed %d s ago, by %s: no extender runs"
                        .formatted(name, old.toSeconds(), holder(lease)))
                .orElseGet(() -> "there is no Lease %s: no extender runs".formatted(name));
        var todo =
                "check that 'trainyard extender' runs beside the scheduler, with the same --scheduler-lease as this command;"
                        + " see the extender's log; the extender needs the rights in manifests/base/extender/rbac.yaml";
        var pods = seen.scheduling().pods().value().orElse(List.of());
        var finding = pods.isEmpty()
                ? Finding.warning(ABOUT, what)
                : Finding.error(
                        ABOUT, "%s, although there are pods of %s: %d".formatted(what, Names.SCHEDULER, pods.size()));
        return finding.on("Lease " + name).todo(todo).see(TroubleshootingTopic.EXTENDER_NOT_ASKED);
    }

    /** Returns the time since the last renewal; empty if there was none. */
    private static Optional<Duration> age(Optional<Lease> lease, Instant now) {
        return lease.map(Lease::getSpec)
                .map(spec -> spec.getRenewTime())
                .map(renewed -> Duration.between(renewed.toInstant(), now));
    }

    private static boolean isFresh(Duration age) {
        return age.compareTo(Heartbeat.LASTS) <= 0;
    }

    private static String holder(Optional<Lease> lease) {
        return lease.map(found -> found.getSpec().getHolderIdentity()).orElse("none");
    }
}
