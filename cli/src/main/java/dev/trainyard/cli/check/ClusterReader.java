package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.extender.calls.CallReport;
import dev.trainyard.extender.calls.Heartbeat;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads what is checked. What may not be read is left out; only that nothing can be read at all is a failure. */
final class ClusterReader {

    private ClusterReader() {}

    /** @throws KubernetesClientException when the cluster cannot be reached, or does not know who asks */
    static Seen read(KubernetesClient client, LeaseName scheduler, Clock clock) {
        return new Seen(
                clock.instant(),
                part(() -> {
                    var definitions = client.apiextensions().v1().customResourceDefinitions();
                    return DefinitionsCheck.NAMES.stream()
                            .map(name -> definitions.withName(name).get())
                            .filter(Objects::nonNull)
                            .toList();
                }),
                scheduler,
                part(() -> lease(client, scheduler)),
                part(() -> lease(client, Heartbeat.beside(scheduler))),
                part(() -> client.pods()
                        .inAnyNamespace()
                        .withField("spec.schedulerName", Names.SCHEDULER)
                        .withoutField("status.phase", "Succeeded")
                        .withoutField("status.phase", "Failed")
                        .list()
                        .getItems()),
                part(() -> Stream.of(CallReport.NOT_ASKED, CallReport.NO_SCHEDULER)
                        .flatMap(reason -> events(client, reason).stream())
                        .toList()),
                part(() -> Optional.ofNullable(client.admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName(RegistrationCheck.NAME)
                        .get())),
                part(() -> client.resources(TrainingPool.class).list().getItems()),
                part(() -> client.resources(TrainingTier.class).list().getItems()));
    }

    private static Optional<Lease> lease(KubernetesClient client, LeaseName name) {
        return Optional.ofNullable(client.leases()
                .inNamespace(name.namespace())
                .withName(name.name())
                .get());
    }

    private static List<Event> events(KubernetesClient client, String reason) {
        return client.events()
                .v1()
                .events()
                .inAnyNamespace()
                .withField("reason", reason)
                .list()
                .getItems();
    }

    private static <T> Part<T> part(Supplier<T> read) {
        try {
            return Part.of(read.get());
        } catch (KubernetesClientException e) {
            boolean answered = e.getCode() > 0 && e.getCode() != HttpURLConnection.HTTP_UNAUTHORIZED;
            if (!answered) {
                throw e;
            }
            var status = e.getStatus();
            return Part.unread(
                    status == null || status.getMessage() == null
                            ? String.valueOf(e.getMessage())
                            : status.getMessage());
        }
    }
}
