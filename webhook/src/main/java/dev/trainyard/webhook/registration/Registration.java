package dev.trainyard.webhook.registration;

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
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps our CA in the {@code caBundle} of every webhook of one MutatingWebhookConfiguration: at the start, when somebody overwrites it
 * (tools that apply manifests again do), and when our CA changes. Touches nothing else of it. As a readiness check it says what
 * is wrong until the CA is there.
 */
public final class Registration implements Health.Check, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.webhook.registration");

    /** How soon a failed write is tried again, and a new CA of ours noticed; changes by others are watched. */
    private static final long CHECK_SECONDS = 5;

    private static final int NOT_FOUND = 404;

    private final Resource<MutatingWebhookConfiguration> resource;
    private final String name;
    private final GpuNames gpuNames;
    private final Supplier<String> caPem;
    private final Clock clock;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        var made = new Thread(task, "webhook-registration");
        made.setDaemon(true);
        return made;
    });
    private final SharedIndexInformer<MutatingWebhookConfiguration> informer;
    private volatile Optional<String> problem;
    private volatile List<String> unsent = List.of();

    private Registration(KubernetesClient client, String name, GpuNames gpuNames, Supplier<String> caPem, Clock clock) {
        this.resource = client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(name);
        this.name = name;
        this.gpuNames = gpuNames;
        this.caPem = caPem;
        this.clock = clock;
        this.problem = Optional.of("the CA is not written into MutatingWebhookConfiguration %s yet".formatted(name));
        this.informer = resource.runnableInformer(0);
    }

    /**
     * Starts to keep it; returns at once.
     *
     * @param gpuNames those that its match conditions should let through; one that they do not is logged
     */
    public static Registration keep(
            KubernetesClient client, String name, GpuNames gpuNames, Supplier<String> caPem, Clock clock) {
        var registration = new Registration(client, name, gpuNames, caPem, clock);
        registration.watch();
        registration.thread.scheduleWithFixedDelay(registration::check, 0, CHECK_SECONDS, TimeUnit.SECONDS);
        return registration;
    }

    @Override
    public Optional<String> problem() {
        return problem;
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
            var reason = explain(e);
            if (informer.hasSynced() && !problem.equals(Optional.of(reason))) {
                log.warn("{}; trying again", reason);
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
                    "there is no MutatingWebhookConfiguration %s; create it, or name another one with --webhook-configuration"
                            .formatted(name));
        }
        lookForUnsent(present);
        var operations = operations(present);
        if (!operations.isEmpty()) {
            resource.patch(PatchContext.of(PatchType.JSON), "[" + String.join(",", operations) + "]");
            log.info("wrote the CA into MutatingWebhookConfiguration name={} webhooks={}", name, operations.size() / 2);
        }
    }

    /** The API server asks the webhook only about pods that the match conditions name. */
    private void lookForUnsent(MutatingWebhookConfiguration configuration) {
        var now = gpuNames.aliases().stream()
                .filter(alias -> configuration.getWebhooks().stream().noneMatch(webhook -> lets(webhook, alias)))
                .toList();
        if (!now.isEmpty() && !now.equals(unsent)) {
            log.warn(
                    "pods that ask for {} never come here: no match condition of MutatingWebhookConfiguration {} has that name; add it",
                    String.join(", ", now),
                    name);
        }
        unsent = now;
    }

    private static boolean lets(MutatingWebhook webhook, String resource) {
        return webhook.getMatchConditions().isEmpty()
                || webhook.getMatchConditions().stream()
                        .anyMatch(condition -> condition.getExpression().contains("'" + resource + "'"));
    }

    private List<String> operations(MutatingWebhookConfiguration configuration) {
        var operations = new ArrayList<String>();
        for (int index = 0; index < configuration.getWebhooks().size(); index++) {
            MutatingWebhook webhook = configuration.getWebhooks().get(index);
            var present = webhook.getClientConfig().getCaBundle();
            var wanted = CaBundle.with(present, caPem.get(), clock.instant());
            if (!wanted.equals(present)) {
                var path = "/webhooks/" + index;
                // Somebody may have changed the order meanwhile: better no write than one into another webhook.
                operations.add(
                        "{\"op\":\"test\",\"path\":\"%s/name\",\"value\":\"%s\"}".formatted(path, webhook.getName()));
                operations.add("{\"op\":\"add\",\"path\":\"%s/clientConfig/caBundle\",\"value\":\"%s\"}"
                        .formatted(path, wanted));
            }
        }
        return operations;
    }

    private String explain(RuntimeException e) {
        if (e instanceof KubernetesClientException problem && problem.getCode() != NOT_FOUND && problem.getCode() > 0) {
            return "the CA cannot be written into MutatingWebhookConfiguration %s: %s"
                    .formatted(name, problem.getMessage());
        }
        return String.valueOf(e.getMessage());
    }
}
