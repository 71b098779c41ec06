package dev.trainyard.runtime.authority;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.SharedCredentials;
import dev.trainyard.certs.TlsException;
import dev.trainyard.certs.TlsMaterial;
import dev.trainyard.certs.Verifiers;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.runtime.log.RepetitionFilter;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.Counter;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Credentials that are signed by a CA in a Secret. The Secret is read after each change that a watch reports. The Secret is also read every
 * few seconds, because a watch may miss a change. The regular reads also renew certificates in time after a clock was adjusted or a machine
 * was suspended. Thread-safe.
 */
final class SecretCredentials implements Credentials {
    private static final Logger log = LoggerFactory.getLogger(SecretCredentials.class);
    private static final int FIRST_ATTEMPTS = 30;
    private static final long RETRY_MILLIS = 1000;

    private final SecretStore store;
    private final SharedCredentials shared;
    private final Clock clock;
    private final RepetitionFilter novelty = new RepetitionFilter();
    private final SharedIndexInformer<Secret> informer;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var made = new Thread(task, "tls-secret");
        made.setDaemon(true);
        return made;
    });

    private SecretCredentials(SecretStore store, SharedCredentials shared, Clock clock) {
        this.store = store;
        this.shared = shared;
        this.clock = clock;
        this.informer = store.resource().runnableInformer(0);
    }

    /**
     * Reads or creates the Secret, and then keeps the credentials current until {@link #close}.
     *
     * @throws TlsException if the Secret can be neither read nor created within half a minute
     */
    static SecretCredentials open(
            SecretStore store, TlsSource.Timing timing, LeafRequest wanted, Verifiers verifiers, TlsContext context) {
        var clock = context.clock();
        var shared = openWithRetries(() -> SharedCredentials.open(
                store,
                wanted,
                timing.lifetimes(),
                verifiers,
                change -> Counter.builder("trainyard.tls.authority.changes")
                        .tag("component", context.component())
                        .tag("change", change.word())
                        .register(context.registry())
                        .increment(),
                clock.instant()));
        var credentials = new SecretCredentials(store, shared, clock);
        credentials.watch();
        long millis = timing.look().toMillis();
        var unused =
                credentials.thread.scheduleWithFixedDelay(credentials::look, millis, millis, TimeUnit.MILLISECONDS);
        return credentials;
    }

    @Override
    public TlsMaterial current() {
        return shared.current();
    }

    @Override
    public boolean refresh(Instant now) {
        return shared.refresh(now);
    }

    @Override
    public void close() {
        informer.stop();
        thread.shutdownNow();
    }

    private void look() {
        try {
            shared.look(clock.instant());
            novelty.forget();
        } catch (RuntimeException e) { // an exception would cancel the schedule
            var reason = String.valueOf(e.getMessage());
            if (novelty.isNew(reason)) {
                log.atWarn()
                        .addKeyValue("ca", store.name())
                        .addKeyValue("reason", reason)
                        .log(
                                "the shared CA could not be checked or renewed; the last valid CA stays in use{}",
                                TroubleshootingTopic.CERTIFICATES.see());
            }
        }
    }

    private void watch() {
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Secret added) {
                soon();
            }

            @Override
            public void onUpdate(Secret before, Secret after) {
                soon();
            }

            @Override
            public void onDelete(Secret deleted, boolean finalStateUnknown) {
                soon();
            }
        });
        informer.exceptionHandler((started, failure) -> {
            log.debug("watching {} failed, trying again: {}", store.name(), failure.getMessage());
            return true;
        });
        informer.start();
    }

    private void soon() {
        if (!thread.isShutdown()) {
            thread.execute(this::look);
        }
    }

    private static SharedCredentials openWithRetries(Opening opening) {
        for (int attempt = 1; ; attempt++) {
            try {
                return opening.open();
            } catch (TlsException e) {
                if (attempt == FIRST_ATTEMPTS) {
                    throw e;
                }
                if (attempt == 1) {
                    log.warn("no CA is available yet, trying again: {}", e.getMessage());
                }
                pause(e);
            }
        }
    }

    private interface Opening {
        SharedCredentials open();
    }

    private static void pause(TlsException reason) {
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw reason;
        }
    }
}
