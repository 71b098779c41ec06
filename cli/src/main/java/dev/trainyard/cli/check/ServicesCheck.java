package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.Optional;

/** A check that the webhook can be reached through its Service. */
final class ServicesCheck implements Check {

    private static final String ABOUT = "services";
    private static final String FIELD = "clientConfig.service";
    private static final int PORT = 443;

    private record Call(String namespace, String service, int port) {}

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return RegistrationCheck.services(seen)
                .map(service -> new Call(
                        service.getNamespace(),
                        service.getName(),
                        Optional.ofNullable(service.getPort()).orElse(PORT)))
                .distinct()
                .filter(call -> call.namespace()
                        .equals(seen.setting().namespace())) // another check reports a Service of another namespace
                .flatMap(call ->
                        seen.installation().services().findings(ABOUT, services -> look(call, services, seen)).stream())
                .toList();
    }

    private static List<Finding> look(Call call, List<Service> services, ClusterSnapshot seen) {
        var object = "Service %s/%s".formatted(call.namespace(), call.service());
        var service = services.stream()
                .filter(one -> one.getMetadata().getName().equals(call.service()))
                .findFirst();
        if (service.isEmpty()) {
            return List.of(Finding.error(ABOUT, "the API server calls a Service that does not exist")
                    .on(RegistrationCheck.OBJECT)
                    .field(FIELD, call.namespace() + "/" + call.service(), names(services))
                    .todo("apply the manifests")
                    .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
        }
        var port = ports(service.get()).stream()
                .filter(one -> one.getPort() == call.port())
                .findFirst();
        if (port.isEmpty()) {
            return List.of(Finding.error(ABOUT, "the API server calls a port that the Service does not have")
                    .on(object)
                    .field("spec.ports", numbers(service.get()), String.valueOf(call.port()))
                    .todo("apply the manifests, or in %s of %s name a port that the Service has"
                            .formatted(FIELD, RegistrationCheck.OBJECT))
                    .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
        }
        return seen.installation().slices().findings(ABOUT, slices -> {
            long ready = ready(call.service(), port.get(), slices);
            return List.of(
                    ready > 0
                            ? Finding.ok(ABOUT, "the API server reaches %d endpoints of %s".formatted(ready, object))
                            : Finding.error(ABOUT, "no ready endpoint answers calls of the API server")
                                    .on(object)
                                    .field("endpoints", "none that is ready", "one or more")
                                    .todo(
                                            "check that the pods of the Service are ready, and that the Service's selector and port name match the pods")
                                    .see(TroubleshootingTopic.WEBHOOK_NOT_CALLED));
        });
    }

    private static long ready(String service, ServicePort port, List<EndpointSlice> slices) {
        return slices.stream()
                .filter(slice ->
                        service.equals(Optional.ofNullable(slice.getMetadata().getLabels())
                                .map(labels -> labels.get("kubernetes.io/service-name"))
                                .orElse("")))
                .filter(slice -> Optional.ofNullable(slice.getPorts()).orElse(List.of()).stream()
                        .anyMatch(one -> Optional.ofNullable(one.getName())
                                .orElse("")
                                .equals(Optional.ofNullable(port.getName()).orElse(""))))
                .flatMap(slice -> Optional.ofNullable(slice.getEndpoints()).orElse(List.of()).stream())
                .filter(endpoint -> endpoint.getConditions() == null
                        || !Boolean.FALSE.equals(endpoint.getConditions().getReady()))
                .count();
    }

    private static List<ServicePort> ports(Service service) {
        return Optional.ofNullable(service.getSpec().getPorts()).orElse(List.of());
    }

    private static String numbers(Service service) {
        return String.join(
                ", ",
                ports(service).stream()
                        .map(port -> String.valueOf(port.getPort()))
                        .toList());
    }

    private static String names(List<Service> services) {
        var names = services.stream()
                .map(service -> service.getMetadata().getName())
                .toList();
        return names.isEmpty() ? "an existing Service; there is none" : "one of " + String.join(", ", names);
    }
}
