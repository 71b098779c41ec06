package dev.trainyard.scaler.leadership;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectorBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader election among scalers, which uses the Lease {@code trainyard-scaler}. {@link #close} releases the Lease, so that the next
 * scaler can lead at once.
 */
public final class Leadership implements AutoCloseable {

    public static final String LEASE = "trainyard-scaler";

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final LeaderElector elector;
    private final ExecutorService executor;
    private final BooleanSupplier atRest;
    private volatile boolean closing;

    /**
     * Starts the election.
     *
     * @param leaseValidity records every renewal
     * @param elected receives the identity of each new leader, which may be this process
     * @param won runs if this process becomes the leader; must not block
     * @param atRest returns whether all work has ended, so that the Lease may be released
     * @param lost runs if this process stops leading, except after {@link #close}; must end the process at once
     */
    public Leadership(
            KubernetesClient client,
            String namespace,
            String identity,
            LeaseValidity leaseValidity,
            Consumer<String> elected,
            Runnable won,
            BooleanSupplier atRest,
            Runnable lost) {
        this.atRest = atRest;
        executor = Executors.newCachedThreadPool(task -> {
            var thread = new Thread(task, "leader-election");
            thread.setDaemon(true);
            return thread;
        });
        elector = new LeaderElectorBuilder(client, executor)
                .withConfig(new LeaderElectionConfigBuilder()
                        .withName(LEASE)
                        .withLock(new RememberedLease(namespace, identity, leaseValidity))
                        .withLeaseDuration(LeaseValidity.LEASE)
                        .withRenewDeadline(LeaseValidity.RENEWED_WITHIN)
                        .withRetryPeriod(RETRY)
                        .withReleaseOnCancel(true)
                        .withLeaderCallbacks(new LeaderCallbacks(
                                won,
                                () -> {
                                    if (!closing) {
                                        log.error("lost the Lease {}/{}: another scaler may act now", namespace, LEASE);
                                        lost.run();
                                    }
                                },
                                leader -> {
                                    log.info("scaler {} leads", leader);
                                    elected.accept(leader);
                                }))
                        .build())
                .build();
        // The returned future is useless, since the elector does not complete it on failure.
        var unused = elector.start();
    }

    @Override
    public void close() {
        closing = true;
        if (atRest.getAsBoolean()) {
            elector.release();
        } else {
            log.warn("a round or a cloud call still runs: the Lease is not released, and expires by itself");
        }
        executor.shutdownNow();
    }

    /** A lock that reports renewals and the release of the Lease to {@link LeaseValidity}, since the elector does not report them. */
    private static final class RememberedLease extends LeaseLock {
        private static final ZonedDateTime UNKNOWN = Instant.EPOCH.atZone(ZoneOffset.UTC);

        private final LeaseValidity leaseValidity;
        /**
         * When the Lease was last read, in nanoseconds of the monotonic clock. The validity of a renewal is counted from this time. The
         * renewal time in the Lease itself is a moment earlier.
         */
        private long looked;

        private RememberedLease(String namespace, String identity, LeaseValidity leaseValidity) {
            super(namespace, LEASE, identity);
            this.leaseValidity = leaseValidity;
        }

        /**
         * Treats a Lease without a duration or a renewal time as free, as client-go does. If the missing values caused an error here, the
         * elector would stop for good.
         */
        @Override
        protected LeaderElectionRecord toRecord(Lease lease) {
            var spec = lease.getSpec();
            if (spec == null || spec.getLeaseDurationSeconds() == null || spec.getRenewTime() == null) {
                return new LeaderElectionRecord("", Duration.ZERO, UNKNOWN, UNKNOWN, 0);
            }
            return super.toRecord(lease);
        }

        @Override
        public synchronized LeaderElectionRecord get(KubernetesClient client) {
            looked = System.nanoTime();
            return super.get(client);
        }

        @Override
        public synchronized void create(KubernetesClient client, LeaderElectionRecord record) {
            super.create(client, record);
            leaseValidity.renewed(looked);
        }

        @Override
        public synchronized void update(KubernetesClient client, LeaderElectionRecord record) {
            boolean renews = identity().equals(record.getHolderIdentity());
            if (!renews) {
                leaseValidity.ended();
            }
            super.update(client, record);
            if (renews) {
                leaseValidity.renewed(looked);
            }
        }
    }
}
