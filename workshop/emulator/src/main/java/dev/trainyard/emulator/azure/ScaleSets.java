package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.emulator.EmulatedMachine;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The API of scale sets. */
final class ScaleSets implements ArmResources {

    private static final String ALL =
            "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/virtualMachineScaleSets/"
                    .formatted(AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP);
    /** The only filter that the list of machines supports. */
    private static final Pattern OF_SET = Pattern.compile("'virtualMachineScaleSet/id' eq '" + ALL + "([^/']+)'");

    private final Clock clock;
    private final AzurePace pace;
    private final Operations operations;
    private final Supplier<URI> url;
    private final Map<String, EmulatedScaleSet> sets = new LinkedHashMap<>();
    private int pageSize = 50;

    ScaleSets(Clock clock, AzurePace pace, Operations operations, Supplier<URI> url) {
        this.clock = clock;
        this.pace = pace;
        this.operations = operations;
        this.url = url;
    }

    EmulatedScaleSet set(String name) {
        return sets.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new EmulatedScaleSet(name, clock, pace));
    }

    Optional<EmulatedScaleSet> known(String name) {
        return Optional.ofNullable(sets.get(name.toLowerCase(Locale.ROOT)));
    }

    void pageSize(int entries) {
        pageSize = entries;
    }

    Stream<EmulatedMachine> machines() {
        return sets.values().stream()
                .flatMap(set -> set.instances().stream()
                        .filter(ScaleSetInstance::hasBooted)
                        .map(instance -> new EmulatedMachine(
                                set.name(),
                                set.computer(instance).toLowerCase(Locale.ROOT),
                                "azure://" + id(set, instance),
                                instance.made())));
    }

    @Override
    public void advance(Instant now) {
        sets.values().forEach(set -> set.advance(now));
    }

    @Override
    public Optional<ArmAnswer> answer(ArmRequest request) {
        if (request.lowerPath().equals(VirtualMachines.MACHINES.toLowerCase(Locale.ROOT))) {
            return Optional.ofNullable(request.query().get("$filter")).map(filter -> listOfFlexible(filter, request));
        }
        if (!request.lowerPath().startsWith(ALL.toLowerCase(Locale.ROOT))) {
            return Optional.empty();
        }
        var rest = request.path().substring(ALL.length()).split("/", -1);
        return Optional.of(known(rest[0])
                .map(set -> answer(set, rest.length == 1 ? "" : rest[1].toLowerCase(Locale.ROOT), request))
                .orElseGet(() -> ArmAnswer.notFound("Microsoft.Compute/virtualMachineScaleSets/" + rest[0])));
    }

    private ArmAnswer answer(EmulatedScaleSet set, String about, ArmRequest request) {
        if (set.isFlexible() && request.method().equals("GET") && !about.isEmpty()) {
            return ArmAnswer.error(
                    409,
                    "OperationNotAllowed",
                    "Operation 'VirtualMachineScaleSets.%s.GET' is not allowed on Virtual Machine Scale Set '%s'."
                            .formatted(about, set.name()));
        }
        return switch (request.method() + " " + about) {
            case "GET " -> ArmAnswer.of(200, describe(set));
            case "PATCH ", "PUT " -> update(set, request);
            case "GET virtualmachines" -> list(set, request);
            case "GET instanceview" -> ArmAnswer.of(200, set.view());
            case "POST delete" -> delete(set, request);
            default -> ArmAnswer.notFound(request.path());
        };
    }

    private ArmAnswer update(EmulatedScaleSet set, ArmRequest request) {
        set.aboutToChange();
        var match = request.headers().getOrDefault("if-match", set.etag());
        if (!match.equals(set.etag())) {
            return ArmAnswer.error(
                    412, "PreconditionFailed", "The precondition given in the If-Match header was not met.");
        }
        int wanted = request.body().path("sku").path("capacity").asInt(-1);
        if (wanted < 0 || wanted > set.limit()) {
            return ArmAnswer.error(400, "InvalidParameter", "The value of parameter sku.capacity is invalid.");
        }
        var change = set.change(wanted);
        return operations.accepted(
                ArmAnswer.of(change.failure().isPresent() ? 202 : 200, describe(set)),
                change.takes(),
                change.failure());
    }

    private ArmAnswer delete(EmulatedScaleSet set, ArmRequest request) {
        var doomed = new ArrayList<ScaleSetInstance>();
        for (var id : request.body().path("instanceIds")) {
            var instance = set.instance(id.asText());
            if (instance.isEmpty()) {
                return ArmAnswer.error(
                        400,
                        "InvalidParameter",
                        "The provided instanceId %s is not an active Virtual Machine Scale Set VM instanceId."
                                .formatted(id.asText()));
            }
            doomed.add(instance.get());
        }
        if (doomed.isEmpty()) {
            // Azure interprets an empty list as all machines.
            doomed.addAll(set.instances());
        }
        var change = set.delete(doomed);
        return operations.accepted(ArmAnswer.empty(202), change.takes(), change.failure());
    }

    private ArmAnswer listOfFlexible(String filter, ArmRequest request) {
        var named = OF_SET.matcher(filter);
        var set = named.matches()
                ? known(named.group(1)).filter(EmulatedScaleSet::isFlexible)
                : Optional.<EmulatedScaleSet>empty();
        return set.map(flexible -> Page.of(
                        List.copyOf(flexible.listed()),
                        instance -> describe(flexible, instance, isExpanded(request)),
                        request,
                        pageSize,
                        "%s%s?$filter=%s&$expand=instanceView"
                                .formatted(
                                        url.get(),
                                        VirtualMachines.MACHINES,
                                        URLEncoder.encode(filter, StandardCharsets.UTF_8))))
                .orElseGet(
                        () -> ArmAnswer.error(400, "BadRequest", "The filter %s is not supported.".formatted(filter)));
    }

    private static boolean isExpanded(ArmRequest request) {
        return request.query().getOrDefault("$expand", "").equals("instanceView");
    }

    private ArmAnswer list(EmulatedScaleSet set, ArmRequest request) {
        return Page.of(
                List.copyOf(set.listed()),
                instance -> describe(set, instance, isExpanded(request)),
                request,
                pageSize,
                "%s%s%s/virtualMachines?$expand=instanceView".formatted(url.get(), ALL, set.name()));
    }

    private static ObjectNode describe(EmulatedScaleSet set) {
        return set.describe(ALL + set.name());
    }

    private static ObjectNode describe(EmulatedScaleSet set, ScaleSetInstance instance, boolean expanded) {
        var body = ArmRequest.JSON.createObjectNode();
        // Azure's lists return resource groups in upper case.
        body.put("id", id(set, instance).replace(AzureEmulator.GROUP, AzureEmulator.GROUP.toUpperCase(Locale.ROOT)));
        body.put("location", AzureEmulator.LOCATION);
        var properties = body.putObject("properties");
        if (set.isFlexible()) {
            body.put("name", set.id(instance)).put("type", "Microsoft.Compute/virtualMachines");
            properties.putObject("virtualMachineScaleSet").put("id", ALL + set.name());
        } else {
            body.put("name", set.name() + "_" + instance.id()).put("instanceId", set.id(instance));
            body.put("type", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines");
        }
        properties.putObject("osProfile").put("computerName", set.computer(instance));
        instance.describe(properties, expanded, set.changed(instance));
        return body;
    }

    private static String id(EmulatedScaleSet set, ScaleSetInstance instance) {
        return set.isFlexible()
                ? VirtualMachines.MACHINES + "/" + set.id(instance)
                : ALL + set.name() + "/virtualMachines/" + set.id(instance);
    }
}
