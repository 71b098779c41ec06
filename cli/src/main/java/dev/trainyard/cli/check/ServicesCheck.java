package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A check that the webhook and the scaler can be reached through their Services. */
final class ServicesCheck implements Check {

    private static final String ABOUT = "services";

    /** The host of a Service: its name, then optionally its namespace, {@code svc} and the cluster's domain. The name begins with a letter. */
    private static final Pattern SERVICE = Pattern.compile("[a-z][-a-z0-9]*(\\.[-a-z0-9]+(\\.svc(\\..+)?)?)?");

    /** @param object the object whose {@code field} names the Service */
    private record Call(
            String caller,
            String object,
            String field,
            String namespace,
            String service,
            int port,
            TroubleshootingTopic trap) {}

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var calls = new LinkedHashSet<Call>();
        ofWebhook(seen).forEach(calls::add);
        ofExtender(seen).forEach(calls::add);
        var findings = new ArrayList<Finding>();
        for (var call : calls) {
            if (!call.namespace().equals(seen.setting().namespace())) {
                findings.add(Finding.warning(ABOUT, "%s calls a Service of another namespace".formatted(call.caller()))
                        .on(call.object())
                        .field(call.field(), call.namespace(), seen.setting().namespace())
                        .todo("name the namespace that Trainyard runs in")
                        .see(call.trap()));
                continue;
            }
            findings.addAll(seen.installation().services().findings(ABOUT, services -> look(call, services, seen)));
        }
        return findings;
    }

    private static Stream<Call> ofWebhook(ClusterSnapshot seen) {
        return seen.admission().registration().value().flatMap(found -> found).stream()
                .flatMap(registration -> RegistrationCheck.webhooks(registration).stream())
                .filter(webhook -> webhook.getClientConfig() != null
                        && webhook.getClientConfig().getService() != null)
                .map(webhook -> {
                    var service = webhook.getClientConfig().getService();
                    return new Call(
                            "the API server",
                            RegistrationCheck.OBJECT,
                            "clientConfig.service",
                            service.getNamespace(),
                            service.getName(),
                            Optional.ofNullable(service.getPort()).orElse(443),
                            TroubleshootingTopic.WEBHOOK_NOT_CALLED);
                });
    }

    /** Returns the calls of extenders to the scaler; empty if no extender runs in the cluster. */
    private static Stream<Call> ofExtender(ClusterSnapshot seen) {
        return seen.installation().deployments().value().orElse(List.of()).stream()
                .filter(deployment -> ComponentDeployments.wanted(deployment) > 0)
                .flatMap(deployment -> ComponentDeployments.flag(deployment, "--scaler-url")
                        .flatMap(url -> address(url, seen))
                        .map(address -> new Call(
                                "the extender",
                                ComponentDeployments.object(deployment),
                                "--scaler-url",
                                part(address.getHost(), 1, seen.setting().namespace()),
                                part(address.getHost(), 0, ""),
                                address.getPort() < 0 ? 443 : address.getPort(),
                                TroubleshootingTopic.SCALER_NOT_REACHED))
                        .stream());
    }

    private static Optional<URI> address(String url, ClusterSnapshot seen) {
        try {
            return Optional.of(URI.create(url))
                    .filter(address -> address.getHost() != null && isService(address.getHost(), seen));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether {@code host} is the name of a Service. A host of two parts counts as external unless the second part is a namespace. */
    private static boolean isService(String host, ClusterSnapshot seen) {
        return SERVICE.matcher(host).matches()
                && !host.equals("localhost")
                && (host.split("\\.", -1).length != 2 || isNamespace(part(host, 1, ""), seen));
    }

    private static boolean isNamespace(String name, ClusterSnapshot seen) {
        return name.equals(seen.setting().namespace())
                || seen.configuration().namespaces().value().orElse(List.of()).stream()
                        .anyMatch(namespace -> namespace.getMetadata().getName().equals(name));
    }

    private static String part(String host, int index, String otherwise) {
        var parts = host.split("\\.", -1);
        return index < parts.length ? parts[index] : otherwise;
    }

    private static List<Finding> look(Call call, List<Service> services, ClusterSnapshot seen) {
        var object = "Service %s/%s".formatted(call.namespace(), call.service());
        var service = services.stream()
                .filter(one -> one.getMetadata().getName().equals(call.service()))
                .findFirst();
        if (service.isEmpty()) {
            return List.of(Finding.error(ABOUT, "%s calls a Service that does not exist".formatted(call.caller()))
                    .on(call.object())
                    .field(call.field(), call.namespace() + "/" + call.service(), names(services))
                    .todo("apply the manifests")
                    .see(call.trap()));
        }
        var port = ports(service.get()).stream()
                .filter(one -> one.getPort() == call.port())
                .findFirst();
        if (port.isEmpty()) {
            return List.of(
                    Finding.error(ABOUT, "%s calls a port that the Service does not have".formatted(call.caller()))
                            .on(object)
                            .field("spec.ports", numbers(service.get()), String.valueOf(call.port()))
                            .todo("apply the manifests, or in %s of %s name a port that the Service has"
                                    .formatted(call.field(), call.object()))
                            .see(call.trap()));
        }
        return seen.installation().slices().findings(ABOUT, slices -> {
            long ready = ready(call.service(), port.get(), slices);
            return List.of(
                    ready > 0
                            ? Finding.ok(ABOUT, "%s reaches %d endpoints of %s".formatted(call.caller(), ready, object))
                            : Finding.error(ABOUT, "no ready endpoint answers calls of %s".formatted(call.caller()))
                                    .on(object)
                                    .field("endpoints", "none that is ready", "one or more")
                                    .todo(
                                            "check that the pods of the Service are ready, and that the Service's selector and port name match the pods")
                                    .see(call.trap()));
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
