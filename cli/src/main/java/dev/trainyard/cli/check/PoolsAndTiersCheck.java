package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ExclusionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.NodesStatus;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.provider.FailureKind;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A check that pools and tiers are valid, and that the status that the scaler writes for each pool reports no problem. */
final class PoolsAndTiersCheck implements Check {

    private static final String ABOUT = "pools and tiers";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var pools = seen.configuration().pools();
        var tiers = seen.configuration().tiers();
        if (pools.value().isEmpty() || tiers.value().isEmpty()) {
            boolean unknown = seen.configuration()
                    .definitions()
                    .value()
                    .map(found -> found.size() < DefinitionsCheck.NAMES.size())
                    .orElse(false);
            return unknown
                    ? List.of()
                    : pools.value().isEmpty() ? List.of(pools.notChecked(ABOUT)) : List.of(tiers.notChecked(ABOUT));
        }
        return look(pools.value().get(), tiers.value().get(), seen.at());
    }

    private static List<Finding> look(List<TrainingPool> pools, List<TrainingTier> tiers, Instant now) {
        var findings = new ArrayList<Finding>();
        Catalogues.of(pools, tiers)
                .problems()
                .forEach(problem ->
                        findings.add(Finding.error("%s %s".formatted(problem.kind(), problem.name()), problem.message())
                                .on("%s %s".formatted(problem.kind(), problem.name()))
                                .todo("correct the object with 'kubectl edit'")
                                .see(TroubleshootingTopic.INVALID_OBJECT)));
        pools.forEach(pool -> findings.addAll(status(pool, now)));
        if (tiers.isEmpty() || pools.isEmpty()) {
            findings.add(Finding.warning(
                            ABOUT,
                            "there are %d TrainingPools and %d TrainingTiers".formatted(pools.size(), tiers.size()))
                    .todo(
                            "create at least one TrainingPool and one TrainingTier, such as those in manifests/examples; until then no pod gets a tier")
                    .see(TroubleshootingTopic.NO_SUCH_TIER));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(
                        ABOUT,
                        "%d TrainingPools and %d TrainingTiers can be used".formatted(pools.size(), tiers.size())))
                : findings;
    }

    private static List<Finding> status(TrainingPool pool, Instant now) {
        var object = "TrainingPool " + pool.getMetadata().getName();
        var status = pool.getStatus();
        if (status == null) {
            return List.of(Finding.warning(object, "has no status: no scaler has processed the pool yet")
                    .on(object)
                    .todo("check that the scaler runs")
                    .see(TroubleshootingTopic.NO_LEADER));
        }
        var findings = new ArrayList<Finding>();
        unread(pool)
                .map(condition -> Finding.error(object, "its cloud cannot be read: " + condition.message())
                        .on(object)
                        .field("status.conditions[Readable]", "False", "True")
                        .todo(
                                "check the scaler's credentials and rights in the cloud; the scaler does not change the pool until the cloud can be read")
                        .see(TroubleshootingTopic.CLOUD_CANNOT_BE_READ))
                .ifPresent(findings::add);
        condition(pool, "CloudResourceSound")
                .filter(condition -> "False".equals(condition.status()))
                .map(condition -> Finding.warning(object, condition.message())
                        .on(object)
                        .field("status.conditions[CloudResourceSound]", "False", "True")
                        .todo("change the cloud resource, or the spec of the pool")
                        .see(TroubleshootingTopic.POOL_MISCONFIGURED))
                .ifPresent(findings::add);
        var backOff = status.backOff();
        if (backOff != null && isAfter(backOff.until(), now)) {
            var trap = FailureKind.ofWord(backOff.kind()).trap();
            var finding = Finding.warning(
                            object,
                            "backs off until %s: %s: %s"
                                    .formatted(
                                            backOff.until(),
                                            Objects.requireNonNullElse(backOff.kind(), "no kind is given"),
                                            Objects.requireNonNullElse(backOff.reason(), "no reason is given")))
                    .on(object)
                    .field("status.backOff.until", backOff.until(), "a time that has passed, or none")
                    .todo(
                            "fix the reason if you can, or wait until the back-off ends; meanwhile the scaler uses other pools of the same tiers");
            findings.add(trap.map(finding::see).orElse(finding));
        }
        exclusions(status, now).map(exclusion -> noHelp(object, exclusion)).forEach(findings::add);
        return findings;
    }

    /**
     * Returns the exclusions in force: pods for which the pool gets no machines until a stated time. An exclusion with 0 failures is left
     * out, because it is still open whether the pods can run on the pool's machines.
     */
    private static Stream<ExclusionStatus> exclusions(TrainingPoolStatus status, Instant now) {
        return Optional.ofNullable(status.nodes()).map(NodesStatus::exclusions).orElse(List.of()).stream()
                .filter(exclusion -> exclusion.failures() > 0 && isAfter(exclusion.until(), now));
    }

    private static Finding noHelp(String object, ExclusionStatus exclusion) {
        return Finding.warning(
                        object,
                        "machines of the pool joined for some pending pods, but cannot run them: %s; the pool gets no machine for such pods until %s"
                                .formatted(
                                        Objects.requireNonNullElse(exclusion.reason(), "no reason is given"),
                                        exclusion.until()))
                .on(object)
                .field("status.nodes.exclusions", exclusion.pods(), "none")
                .todo("make spec.promise match the nodes of the pool, or change the constraints of the pods; a changed "
                        + "promise takes effect at once")
                .see(TroubleshootingTopic.PROMISE_NOT_KEPT);
    }

    /**
     * Returns the condition that reports a failed read of the pool's cloud; empty if there is none. The cloud of an invalid pool is not
     * read, and the condition is then Unknown.
     */
    private static Optional<ConditionStatus> unread(TrainingPool pool) {
        return condition(pool, LedgerStatus.READABLE).filter(condition -> "False".equals(condition.status()));
    }

    private static Optional<ConditionStatus> condition(TrainingPool pool, String type) {
        return Optional.ofNullable(pool.getStatus())
                .flatMap(status -> Optional.ofNullable(status.conditions()))
                .orElse(List.of())
                .stream()
                .filter(condition -> type.equals(condition.type()))
                .findFirst();
    }

    /** Whether {@code time} is after {@code now}; false if another program wrote a status with a missing or invalid time. */
    private static boolean isAfter(@Nullable String time, Instant now) {
        try {
            return time != null && Instant.parse(time).isAfter(now);
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
