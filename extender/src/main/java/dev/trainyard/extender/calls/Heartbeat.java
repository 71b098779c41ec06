package dev.trainyard.extender.calls;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.runtime.log.RepetitionFilter;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A heartbeat that renews a Lease, on its own thread, to show that an extender runs. The Lease elects no leader: every extender renews it,
 * so that a stale Lease means that no extender runs.
 */
public final class Heartbeat implements AutoCloseable {

    /** The name of the Lease, which is in the scheduler's namespace. */
    public static final String NAME = "trainyard-extender";

    /** The time after the last renewal at which the Lease is stale. It leaves time for three failed renewals in a row. */
    public static final Duration LASTS = Duration.ofMinutes(2);

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);
    private static final Duration TURN = Duration.ofSeconds(30);

    private final KubernetesClient client;
    private final LeaseName lease;
    private final String hostName;
    private final Clock clock;
    private final RepetitionFilter problems = new RepetitionFilter();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var daemon = new Thread(task, "heartbeat");
        daemon.setDaemon(true);
        return daemon;
    });

    /**
     * Creates a heartbeat, which does nothing before {@link #start}.
     *
     * @param lease the Lease to renew
     * @param hostName identifies this extender in the Lease
     */
    public Heartbeat(KubernetesClient client, LeaseName lease, String hostName, Clock clock) {
        this.client = client;
        this.lease = lease;
        this.hostName = hostName;
        this.clock = clock;
    }

    /** Returns the heartbeat's Lease in the namespace of the scheduler's Lease. */
    public static LeaseName beside(LeaseName scheduler) {
        return new LeaseName(scheduler.namespace(), NAME);
    }

    public void start() {
        var unused = thread.scheduleWithFixedDelay(this::beat, 0, TURN.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** Renews the Lease once. Called by the thread and by tests. */
    void beat() {
        try {
            renew();
            problems.forget();
        } catch (RuntimeException e) { // an exception would cancel all later turns
            boolean byAnother = e instanceof KubernetesClientException refused
                    && refused.getCode() == HttpURLConnection.HTTP_CONFLICT; // another extender renewed it
            if (!byAnother && problems.isNew(e)) {
                log.warn(
                        "Lease {} cannot be renewed, so 'trainyard check' reports the extender as stopped: {}; give the extender"
                                + " the rights on Leases in manifests/base/extender/rbac.yaml{}",
                        lease,
                        String.valueOf(e.getMessage()),
                        TroubleshootingTopic.RIGHTS_MISSING.see());
            }
        }
    }

    private void renew() {
        var leases = client.leases().inNamespace(lease.namespace());
        var found = leases.withName(lease.name()).get();
        if (found == null) {
            leases.resource(renewed(new LeaseBuilder()
                            .withNewMetadata()
                            .withName(lease.name())
                            .withNamespace(lease.namespace())
                            .endMetadata()
                            .build()))
                    .create();
        } else {
            leases.resource(renewed(found)).update();
        }
    }

    private Lease renewed(Lease before) {
        return new LeaseBuilder(before)
                .editOrNewSpec()
                .withHolderIdentity(hostName)
                .withLeaseDurationSeconds((int) LASTS.toSeconds())
                .withRenewTime(
                        clock.instant().truncatedTo(ChronoUnit.MICROS).atZone(ZoneOffset.UTC)) // MicroTime's precision
                .endSpec()
                .build();
    }
}
