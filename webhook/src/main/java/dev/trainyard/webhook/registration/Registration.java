package dev.trainyard.webhook.registration;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.Verifiers;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.runtime.health.Health;
import dev.trainyard.webhook.pod.GpuNames;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer of our CA to the {@code caBundle} of every webhook of one MutatingWebhookConfiguration. It writes at the start, when another
 * client overwrites the field (tools that reapply manifests do), and when our CA changes. The writer uses server-side apply and owns only
 * this field, so that the owners of other fields stay visible. As a readiness check, the writer reports a problem until the CA is written.
 */
public final class Registration implements Health.Check, Verifiers, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.webhook.registration");

    /**
     * The longest time until a failed write is retried, and until a new CA of ours is noticed. A watch reports changes by other clients at
     * once.
     */
    private static final Duration CHECK = Duration.ofSeconds(5);

    /** The settings of server-side apply. All replicas write the same values, so they share one field manager. */
    private static final PatchContext APPLY = new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager("trainyard-webhook")
            .withForce(true)
            .build();

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final Resource<MutatingWebhookConfiguration> resource;
    private final String name;
    private final GpuNames gpuNames;
    private final Credentials credentials;
    private final Duration settling;
    private final Clock clock;
    /**
     * The time when each certificate was first seen in force. A certificate is in force while all webhooks of the configuration have it.
     */
    private final Map<X509Certificate, Instant> inForce = new ConcurrentHashMap<>();

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var made = new Thread(task, "webhook-registration");
        made.setDaemon(true);
        return made;
    });
    private final SharedIndexInformer<MutatingWebhookConfiguration> informer;
    private volatile Optional<String> problem;
    private volatile List<String> unsent = List.of();

    private Registration(
            KubernetesClient client,
            String name,
            GpuNames gpuNames,
            Credentials credentials,
            Duration settling,
            Clock clock) {
        this.resource = client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(name);
        this.name = name;
        this.gpuNames = gpuNames;
        this.credentials = credentials;
        this.settling = settling;
        this.clock = clock;
        this.problem = Optional.of("the CA is not yet written into MutatingWebhookConfiguration %s".formatted(name));
        this.informer = resource.runnableInformer(0);
    }

    /**
     * Starts the writer and returns at once.
     *
     * @param gpuNames the GPU resource names that the match conditions should contain; a missing alias is logged
     * @param settling the time after a write until all API servers use the CA
     */
    public static Registration keep(
            KubernetesClient client,
            String name,
            GpuNames gpuNames,
            Credentials credentials,
            Duration settling,
            Clock clock) {
        var registration = new Registration(client, name, gpuNames, credentials, settling, clock);
        registration.watch();
        long millis =
                Math.min(CHECK.toMillis(), Math.max(1, settling.dividedBy(4).toMillis()));
        var unused = registration.thread.scheduleWithFixedDelay(registration::check, 0, millis, TimeUnit.MILLISECONDS);
        return registration;
    }

    @Override
    public Optional<String> problem() {
        return problem;
    }

    /** Whether all API servers trust this CA by now: it has been in force for the settling time. */
    @Override
    public boolean trust(String certificatePem) {
        var latest = clock.instant().minus(settling);
        return CaBundle.certificates(certificatePem).stream().allMatch(certificate -> {
            var since = inForce.get(certificate);
            return since != null && !since.isAfter(latest);
        });
    }

    @Override
    public void close() {
        informer.stop();
        thread.shutdownNow();
    }

    private void watch() {
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(MutatingWebhookConfiguration added) {
                thread.execute(Registration.this::check);
            }

            @Override
            public void onUpdate(MutatingWebhookConfiguration before, MutatingWebhookConfiguration after) {
                thread.execute(Registration.this::check);
            }

            @Override
            public void onDelete(MutatingWebhookConfiguration deleted, boolean finalStateUnknown) {
                thread.execute(Registration.this::check);
            }
        });
        informer.exceptionHandler((started, failure) -> {
            log.warn("watching MutatingWebhookConfiguration {} failed, trying again: {}", name, failure.getMessage());
            return true;
        });
        informer.start();
    }

    private void check() {
        try {
            write();
            problem = Optional.empty();
        } catch (RuntimeException e) {
            if (e instanceof KubernetesClientException stale && stale.getCode() == CONFLICT) {
                return; // another writer was faster; the watch reports its change, and this check runs again
            }
            var reason = explain(e);
            if (informer.hasSynced() && !problem.equals(Optional.of(reason))) {
                log.warn("{}; trying again{}", reason, TroubleshootingTopic.WEBHOOK_NOT_TRUSTED.see());
            }
            problem = Optional.of(reason);
        }
    }

    private void write() {
        if (!informer.hasSynced()) {
            throw new IllegalStateException("MutatingWebhookConfiguration %s is not read yet".formatted(name));
        }
        var present = informer.getStore().getByKey(name);
        if (present == null) {
            throw new IllegalStateException(
                    "there is no MutatingWebhookConfiguration %s; create this object, or name another one with --webhook-configuration"
                            .formatted(name));
        }
        lookForUnsent(present);
        noteWhatIsInForce(present);
        var wanted = wanted(present);
        if (wanted.isPresent()) {
            resource.patch(APPLY, wanted.get());
            log.info(
                    "wrote the CA into MutatingWebhookConfiguration name={} webhooks={}",
                    name,
                    present.getWebhooks().size());
        }
    }

    private void noteWhatIsInForce(MutatingWebhookConfiguration configuration) {
        var all = configuration.getWebhooks().stream()
                .map(webhook ->
                        Set.copyOf(CaBundle.present(webhook.getClientConfig().getCaBundle())))
                .toList();
        var common = all.isEmpty() ? new HashSet<X509Certificate>() : new HashSet<>(all.get(0));
        all.forEach(common::retainAll);
        inForce.keySet().retainAll(common);
        common.forEach(certificate -> inForce.putIfAbsent(certificate, clock.instant()));
    }

    /** Logs the aliases that no match condition contains. The API server does not send pods that request GPUs only by such an alias. */
    private void lookForUnsent(MutatingWebhookConfiguration configuration) {
        var now = gpuNames.aliases().stream()
                .filter(alias -> configuration.getWebhooks().stream().noneMatch(webhook -> lets(webhook, alias)))
                .toList();
        if (!now.isEmpty() && !now.equals(unsent)) {
            log.warn(
                    "pods that request {} are not sent to the webhook: no expression in the match conditions of "
                            + "MutatingWebhookConfiguration {} contains this resource name; add the name to an expression{}",
                    String.join(", ", now),
                    name,
                    TroubleshootingTopic.WEBHOOK_NOT_CALLED.see());
        }
        unsent = now;
    }

    private static boolean lets(MutatingWebhook webhook, String resource) {
        return webhook.getMatchConditions().isEmpty()
                || webhook.getMatchConditions().stream()
                        .anyMatch(condition -> condition.getExpression().contains("'" + resource + "'"));
    }

    /**
     * Returns the object to apply; empty if nothing differs. The object has the caBundle of every webhook, since server-side apply removes
     * an owned field that is left out. The object states the resource version, so that the write fails if a webhook was removed meanwhile,
     * and does not restore that webhook.
     */
    private Optional<String> wanted(MutatingWebhookConfiguration configuration) {
        var object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", configuration.getApiVersion()).put("kind", configuration.getKind());
        object.putObject("metadata")
                .put("name", name)
                .put("resourceVersion", configuration.getMetadata().getResourceVersion());
        var webhooks = object.putArray("webhooks");
        boolean differs = false;
        for (var webhook : configuration.getWebhooks()) {
            var present = webhook.getClientConfig().getCaBundle();
            var bundle = CaBundle.with(present, credentials.caPem(), clock.instant());
            differs |= !bundle.equals(present);
            webhooks.addObject()
                    .put("name", webhook.getName())
                    .putObject("clientConfig")
                    .put("caBundle", bundle);
        }
        return differs ? Optional.of(object.toString()) : Optional.empty();
    }

    private String explain(RuntimeException e) {
        if (e instanceof KubernetesClientException problem && problem.getCode() != NOT_FOUND && problem.getCode() > 0) {
            return "the CA cannot be written into MutatingWebhookConfiguration %s: %s"
                    .formatted(name, problem.getMessage());
        }
        return String.valueOf(e.getMessage());
    }
}
