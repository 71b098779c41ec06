package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.ledger.Exclusion;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Messages for users that explain why a pod stays pending. */
final class Explanations {

    /**
     * The time for which an unreadable pool is reported as {@link Reason#ASKING}. After this time, the pool is reported as {@link
     * Reason#UNREADABLE}.
     */
    private static final Duration ASKING = Duration.ofSeconds(10);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    private Explanations() {}

    static Unplaced noSuchTier(String name, Collection<String> tiers) {
        return new Unplaced(
                Reason.NO_SUCH_TIER,
                "there is no TrainingTier '%s'; there are: %s"
                        .formatted(name, tiers.isEmpty() ? "none" : String.join(", ", tiers)));
    }

    static Unplaced fitsNoPool(PodShape pod, String where, List<PoolView> pools) {
        if (pools.isEmpty()) {
            return new Unplaced(Reason.FITS_NO_POOL, where + " has no pool that can be used");
        }
        return new Unplaced(
                Reason.FITS_NO_POOL,
                tooLarge(pod, where, pools)
                        .orElseGet(() -> pools.stream()
                                .map(pool -> "pool %s: %s".formatted(pool.name(), misfit(pod, pool)))
                                .collect(Collectors.joining("; ", "fits no pool of " + where + ": ", ""))));
    }

    /**
     * Returns a message about one resource if the machines of all pools have too little of that resource; otherwise empty. Such a message
     * is clearer than a list of pools.
     */
    private static Optional<String> tooLarge(PodShape pod, String where, List<PoolView> pools) {
        return pod.requests().asMap().keySet().stream()
                .filter(resource -> pools.stream()
                        .allMatch(pool -> pool.template().allocatable().get(resource)
                                < pod.requests().get(resource)))
                // A lack of GPUs is reported first.
                .max((a, b) -> Boolean.compare(a.endsWith("/gpu"), b.endsWith("/gpu")))
                .map(resource -> {
                    var largest = pools.stream()
                            .reduce((a, b) -> amount(b, resource) > amount(a, resource) ? b : a)
                            .orElseThrow();
                    return "asks for %s; the largest machine of %s (pool %s) has %s"
                            .formatted(
                                    Resources.of(resource, pod.requests().get(resource)),
                                    where,
                                    largest.name(),
                                    amount(largest, resource) == 0
                                            ? "none"
                                            : number(Resources.of(resource, amount(largest, resource)), resource));
                });
    }

    private static long amount(PoolView pool, String resource) {
        return pool.template().allocatable().get(resource);
    }

    private static String number(Resources resources, String resource) {
        return resources.toString().substring(resource.length()).strip();
    }

    private static String misfit(PodShape pod, PoolView pool) {
        return Fit.checkEmpty(pod, pool.template())
                .map(misfit -> misfit.reason())
                .orElse("kept for pods that ask for GPUs");
    }

    /** Explains why a preferred pool cannot run the pod. */
    static Refusal doesNotFit(PodShape pod, PoolView pool) {
        return new Refusal(
                pool.name(),
                Reason.FITS_NO_POOL,
                "pool %s does not fit: %s".formatted(pool.name(), misfit(pod, pool)),
                pool.name() + " does not fit");
    }

    /** Explains why no machine is requested from a pool that fits; empty if machines may be requested up to the pool's maximum. */
    static Optional<Refusal> passedOver(PoolView pool, Instant now) {
        if (pool.state().isEmpty()) {
            return Optional.of(new Refusal(
                    pool.name(),
                    isBeingAsked(pool, now) ? Reason.ASKING : Reason.UNREADABLE,
                    "pool %s cannot be read, so its free room is unknown: %s"
                            .formatted(pool.name(), pool.problem().orElse("unknown")),
                    pool.name() + " cannot be read"));
        }
        var backOff = pool.ledger().backOff().filter(b -> b.active(now));
        if (backOff.isPresent()) {
            return Optional.of(new Refusal(
                    pool.name(), Reason.BACKED_OFF, backedOff(pool, backOff.get()), pool.name() + " backs off"));
        }
        return Optional.empty();
    }

    /** Whether the pool was readable a moment ago. If so, the pool can probably be read again soon. */
    private static boolean isBeingAsked(PoolView pool, Instant now) {
        return pool.ledger()
                .unreadSince()
                .map(since -> now.isBefore(since.plus(ASKING)))
                .orElse(false);
    }

    /**
     * Explains why fewer machines of a pool are requested than a demand needs.
     *
     * @param wanted how many more machines the demand needs
     * @param asked how many of these machines the pool's maximum allows
     */
    static Refusal atMaximum(PoolView pool, int wanted, int asked) {
        return new Refusal(
                pool.name(),
                Reason.AT_MAXIMUM,
                "pool %s can add %d of the %d machines needed (maximum %d)"
                        .formatted(pool.name(), asked, wanted, pool.most()),
                pool.name() + " is full");
    }

    static String backedOff(PoolView pool, BackOff backOff) {
        return "pool %s backs off until %s: %s: %s"
                .formatted(pool.name(), TIME.format(backOff.until()), backOff.kind(), backOff.reason());
    }

    /**
     * Explains the choice between equally preferred pools by their prices, the time that is expected to be lost on their machines, and the
     * cloud's ratings. The cheapest machines for some pods may belong to a pool whose GPUs are dearer.
     */
    static String choice(Collection<PoolView> pools, Instant now) {
        boolean byGpu = pools.stream().allMatch(pool -> pool.pool().promisedGpus() > 0);
        return pools.stream()
                .map(pool -> "%s %s".formatted(pool.name(), usefulHour(pool, byGpu, now)))
                .collect(Collectors.joining(
                        ", ",
                        "the cheapest for these pods among equally preferred pools, by the price of a useful %s hour: "
                                .formatted(byGpu ? "GPU" : "machine"),
                        ""));
    }

    private static String usefulHour(PoolView pool, boolean byGpu, Instant now) {
        var lost = BigDecimal.valueOf(pool.lostShare(now));
        var more = BigDecimal.ONE.add(lost).add(BigDecimal.valueOf(pool.ratingShare()));
        var why = "%s %% more for lost time%s"
                .formatted(
                        plain(lost.movePointRight(2), 1),
                        pool.spotScore().map(score -> ", spot score " + score).orElse(""));
        return pool.pool()
                .hourlyPrice()
                .map(price -> byGpu
                        ? price.divide(BigDecimal.valueOf(pool.pool().promisedGpus()), MathContext.DECIMAL64)
                        : price)
                .map(price -> "%s (%s, and %s)".formatted(plain(price.multiply(more), 3), plain(price, 3), why))
                .orElseGet(() -> "without a price (%s)".formatted(why));
    }

    private static String plain(BigDecimal number, int digits) {
        var rounded = number.setScale(digits, RoundingMode.HALF_UP);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** Combines the reasons of all pools. Pods that wait on purpose, because they have enough time, have that reason. */
    static Unplaced all(List<Refusal> reasons) {
        if (reasons.isEmpty()) {
            return new Unplaced(Reason.FITS_NO_POOL, "");
        }
        var reason = reasons.stream()
                .map(Refusal::reason)
                .filter(any -> any == Reason.AHEAD_OF_DEADLINE)
                .findFirst()
                .orElse(reasons.get(0).reason());
        return new Unplaced(reason, reasons.stream().map(Refusal::message).collect(Collectors.joining("; ")));
    }

    /**
     * Explains why no machines are requested for a gang. A gang gets machines for all of its pods or for none.
     *
     * @param without how many pods of {@code member} would have no place
     */
    static Unplaced notWhole(Batch gang, Demand member, int without, Unplaced why) {
        int pods = gang.demands().stream().mapToInt(Demand::size).sum();
        if (pods == 1) {
            return new Unplaced(
                    why.reason(), "the last pod of gang %s has no place: %s".formatted(gang.gangName(), why.message()));
        }
        return new Unplaced(
                why.reason(),
                "no machine is requested for the %d pending pods of gang %s, because %d of them would have no place: %s"
                        .formatted(pods, gang.gangName(), without, why.message()));
    }

    /** @param nodes how many idle nodes are kept for the pods meanwhile */
    static Unplaced withKept(Unplaced why, int nodes) {
        return nodes == 0
                ? why
                : new Unplaced(
                        why.reason(),
                        "%s; %d idle nodes are kept for the gang for a while".formatted(why.message(), nodes));
    }

    /** Explains why no machine is requested for a pod whose priority is too low. */
    static Unplaced belowCutoff(PendingPod pod, int cutoff) {
        return new Unplaced(
                Reason.BELOW_CUTOFF,
                "its priority of %d is below the cut-off of %d: no machine is launched for the pod; the pod may use free room on existing nodes"
                        .formatted(pod.priority(), cutoff));
    }

    /** Explains why a pool below its maximum cannot run pods with inter-pod constraints. */
    static Refusal unwelcome(PoolView pool, Misfit misfit) {
        return new Refusal(
                pool.name(),
                Reason.OTHER_PODS,
                "a new machine of pool %s would not help: %s".formatted(pool.name(), misfit.reason()),
                pool.name() + " would not help");
    }

    /** Explains why no on-demand machine is requested for pods of a training that is ahead of its deadline. */
    static Refusal aheadOfDeadline(PoolView pool, Instant until) {
        return new Refusal(
                pool.name(),
                Reason.AHEAD_OF_DEADLINE,
                "pool %s is not asked before %s, since the training has enough time until its deadline to wait for a spot machine"
                        .formatted(pool.name(), until.truncatedTo(ChronoUnit.SECONDS)),
                pool.name() + " is not needed for the deadline yet");
    }

    /** Explains why no machine of a pool is requested for pods that could not run on the pool's last machine. */
    static Refusal excluded(PoolView pool, Exclusion exclusion) {
        return new Refusal(
                pool.name(),
                Reason.BLOCKED,
                exclusion.isProvisional()
                        ? "%s; no other machine is requested until this machine has all of its labels"
                                .formatted(exclusion.reason())
                        : "%s; no machine of pool %s is requested for them until %s"
                                .formatted(exclusion.reason(), pool.name(), exclusion.until()),
                pool.name() + " does not help");
    }

    /** Explains why only one machine of a pool is requested for pods that need a label which the pool's nodes may lack. */
    static Refusal onTrial(PoolView pool, String label) {
        return new Refusal(
                pool.name(),
                Reason.BLOCKED,
                "pool %s does not promise label %s, and no node of the pool is known yet: one machine is launched first, to check the label"
                        .formatted(pool.name(), label),
                pool.name() + " launches one machine first");
    }

    /** Returns the constraints of a pod that the planner does not model, in brackets; usually empty. */
    static String caveat(PodShape pod) {
        return caveat(pod, List.of());
    }

    /** @param more further constraints that are not modelled */
    static String caveat(PodShape pod, Collection<String> more) {
        var all = new TreeSet<>(pod.unmodelled());
        all.addAll(more);
        return all.isEmpty() ? "" : " (not considered: %s)".formatted(String.join(", ", all));
    }
}
