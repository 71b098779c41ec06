package dev.trainyard.scaler.ledger;

import java.time.Duration;
import java.time.Instant;

/**
 * How well a pool has delivered and kept its machines. The sums decay with a half-life of one day. They are added up only if something
 * changes, so that time alone leads to no write of the status. Immutable.
 *
 * @param at the time at which the sums were added up
 * @param machines how many machines with a node the pool has had since then
 * @param machineHours the sum of the hours of these machines, before {@code at}
 * @param reclaims the sum of the machines that the cloud has taken after their node had joined
 * @param failedLaunches the sum of the back-offs that began because the cloud delivered no machine or a machine was not usable in time
 */
public record Reliability(Instant at, int machines, double machineHours, double reclaims, double failedLaunches) {

    /** The record of a new pool. */
    public static final Reliability NONE = new Reliability(Instant.EPOCH, 0, 0, 0, 0);

    private static final double HALF_LIFE_HOURS = 24;

    /**
     * The machine hours without a loss that every pool is credited with. A pool with few machine hours therefore counts as good, so that it
     * is tried.
     */
    private static final double CREDITED_HOURS = 24;

    private static final double SECONDS_PER_HOUR = 3600;
    private static final double NANOS_PER_SECOND = 1e9;

    /** The sums are rounded, so that the status is readable. The unit is a few milliseconds of a machine. */
    private static final double PRECISION = 1e6;

    /** The share of lost hours is rounded, so that old events do not decide between pools with equal prices. */
    private static final double SHARE_PRECISION = 1e3;

    /** The rate of reclaims is rounded, so that the metric does not change in every round. */
    private static final double RATE_PRECISION = 1e2;

    /** Returns the record for the current clock, which may have been set back: then the sums count as added up now. */
    Reliability asOf(Instant now) {
        return at.isAfter(now) ? new Reliability(now, machines, machineHours, reclaims, failedLaunches) : this;
    }

    /** Returns the record after a change of the number of machines, or after reclaims; this record if nothing has changed. */
    Reliability with(int machinesNow, int moreReclaims, Instant now) {
        return machinesNow == machines && moreReclaims == 0 ? this : addedUp(machinesNow, moreReclaims, 0, now);
    }

    /** Returns the record after a failed launch. */
    Reliability afterFailedLaunch(Instant now) {
        return addedUp(machines, 0, 1, now);
    }

    private Reliability addedUp(int machinesNow, int moreReclaims, int moreFailedLaunches, Instant now) {
        double decay = decay(now);
        return new Reliability(
                now,
                machinesNow,
                rounded(machineHours(decay)),
                rounded(reclaims * decay + moreReclaims),
                rounded(failedLaunches * decay + moreFailedLaunches));
    }

    /** Returns the factor by which the sums have decayed. */
    private double decay(Instant now) {
        var time = at.isAfter(now) ? Duration.ZERO : Duration.between(at, now);
        double hours = (time.getSeconds() + time.getNano() / NANOS_PER_SECOND) / SECONDS_PER_HOUR;
        return Math.pow(0.5, hours / HALF_LIFE_HOURS);
    }

    /** Returns the decayed sum of machine hours, with those since {@link #at}: the integral of the decay, for each machine. */
    private double machineHours(double decay) {
        return machineHours * decay + machines * HALF_LIFE_HOURS / Math.log(2) * (1 - decay);
    }

    private static double rounded(double sum) {
        return Math.round(sum * PRECISION) / PRECISION;
    }

    /**
     * Returns the expected time that is lost for each hour of a machine, in hours.
     *
     * @param perReclaim the time that is lost by a reclaim
     * @param perFailedLaunch the time that is lost by a failed launch
     */
    public double lostShare(Duration perReclaim, Duration perFailedLaunch, Instant now) {
        double decay = decay(now);
        double lost = (reclaims * hours(perReclaim) + failedLaunches * hours(perFailedLaunch)) * decay;
        return Math.round(lost / (machineHours(decay) + CREDITED_HOURS) * SHARE_PRECISION) / SHARE_PRECISION;
    }

    /** Returns the reclaims for each machine and day, rounded; 0 if the pool has had no machine. */
    public double reclaimsPerMachineDay(Instant now) {
        double decay = decay(now);
        double hours = machineHours(decay);
        double rate = hours > 0 ? reclaims * decay / hours * Duration.ofDays(1).toHours() : 0;
        return Math.round(rate * RATE_PRECISION) / RATE_PRECISION;
    }

    private static double hours(Duration duration) {
        return duration.toMillis() / 1e3 / SECONDS_PER_HOUR;
    }
}
