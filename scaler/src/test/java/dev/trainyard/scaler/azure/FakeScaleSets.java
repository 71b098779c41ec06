package dev.trainyard.scaler.azure;

import static dev.trainyard.scaler.azure.FakeArm.GROUP;
import static dev.trainyard.scaler.azure.FakeArm.JSON;
import static dev.trainyard.scaler.azure.FakeArm.LOCATION;
import static dev.trainyard.scaler.azure.FakeArm.SUBSCRIPTION;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.scaler.azure.FakeArm.Answer;
import dev.trainyard.scaler.azure.FakeArm.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Scale sets of the fake. */
final class FakeScaleSets implements FakeArm.Part {

    static final Duration BOOT = Duration.ofSeconds(90);
    static final Duration FAILS_AFTER = Duration.ofSeconds(20);
    static final Duration DELETION = Duration.ofSeconds(60);

    private static final String SETS =
            "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/virtualMachineScaleSets"
                    .formatted(SUBSCRIPTION, GROUP);

    private final FakeArm arm;
    private final Map<String, FakeSet> sets = new LinkedHashMap<>();
    int pageSize = 50;

    FakeScaleSets(FakeArm arm) {
        this.arm = arm;
    }

    static final class Instance {
        final int id;
        final Instant made;
        String state = "Creating";
        String power = "PowerState/starting";
        ObjectNode failure;

        Instance(int id, Instant made) {
            this.id = id;
            this.made = made;
        }
    }

    /** What a test sets is package-private. */
    static final class FakeSet {
        final String name;
        int capacity;
        int version = 1;
        String state = "Succeeded";
        String priority = "Spot";
        String evictionPolicy = "Delete";
        String orchestration = "Uniform";
        boolean onePlacementGroup = false;
        /** Machines to be had, those that are there included. */
        int stock = Integer.MAX_VALUE;
        /** Whether machines that cannot be had show as failed ones, or not at all. */
        boolean showsFailedMachines;

        ObjectNode stockOut = error(
                "AllocationFailed",
                "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance");
        final Map<Integer, Instance> instances = new TreeMap<>();
        final Map<String, String> tags = new TreeMap<>();
        final List<Due> due = new ArrayList<>();
        ObjectNode lastFailure;
        Instant lastFailureAt;
        private int next;

        FakeSet(String name) {
            this.name = name;
        }

        Set<String> present() {
            return instances.values().stream()
                    .filter(instance -> !instance.state.equals("Deleting"))
                    .map(instance -> Integer.toString(instance.id))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    record Due(Instant at, Runnable what) {}

    static ObjectNode error(String code, String message) {
        return JSON.createObjectNode().put("code", code).put("message", message);
    }

    FakeSet add(String name) {
        var set = new FakeSet(name);
        sets.put(name.toLowerCase(Locale.ROOT), set);
        return set;
    }

    @Override
    public void advance(Instant now) {
        for (var set : sets.values()) {
            var due = set.due.stream()
                    .filter(d -> !d.at().isAfter(now))
                    .sorted(Comparator.comparing(Due::at))
                    .toList();
            set.due.removeAll(due);
            due.forEach(d -> d.what().run());
        }
    }

    @Override
    public Answer answer(Request request) {
        if (!request.path().toLowerCase(Locale.ROOT).startsWith(SETS.toLowerCase(Locale.ROOT) + "/")) {
            return null;
        }
        var rest = request.path().substring(SETS.length() + 1).split("/");
        var set = sets.get(rest[0].toLowerCase(Locale.ROOT));
        if (set == null) {
            return Answer.error(
                    404,
                    "ResourceNotFound",
                    "The Resource 'Microsoft.Compute/virtualMachineScaleSets/%s' under resource group '%s' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix"
                            .formatted(rest[0], GROUP));
        }
        if (rest.length == 1) {
            return request.method().equals("GET") ? Answer.of(200, describe(set)) : update(set, request);
        }
        return switch (request.method() + " " + rest[1].toLowerCase(Locale.ROOT)) {
            case "GET virtualmachines" -> list(set, request);
            case "GET instanceview" -> Answer.of(200, view(set));
            case "POST delete" -> delete(set, request);
            default -> null;
        };
    }

    /** Happens between a client's reading a set and its changing it. */
    Runnable meanwhile = () -> {};

    private Answer update(FakeSet set, Request request) {
        meanwhile.run();
        meanwhile = () -> {};
        var match = request.headers().get("if-match");
        if (match != null && !match.equals(etag(set))) {
            return Answer.error(
                    412, "PreconditionFailed", "The precondition given in the If-Match header was not met.");
        }
        int wanted = request.body().path("sku").path("capacity").asInt(-1);
        int limit = set.onePlacementGroup ? 100 : 1000;
        if (wanted < 0 || wanted > limit) {
            return Answer.error(400, "InvalidParameter", "The value of parameter sku.capacity is invalid.");
        }
        return resize(set, wanted);
    }

    /** Also what another user of the set does. */
    Answer resize(FakeSet set, int wanted) {
        var now = arm.clock().instant();
        set.version++;
        set.state = "Updating";
        // Azure chooses whom a lower size costs: here, as with its default policy, the newest.
        var there = set.instances.values().stream()
                .filter(i -> !i.state.equals("Deleting"))
                .toList();
        for (int i = there.size() - 1; i >= 0 && i >= wanted; i--) {
            remove(set, there.get(i), now);
        }
        int present = Math.min(there.size(), wanted);
        set.capacity = wanted;
        int had = Math.max(0, Math.min(wanted, set.stock) - present);
        int missing = wanted - present - had;
        for (int i = 0; i < had; i++) {
            var instance = make(set, now);
            set.due.add(new Due(now.plus(BOOT), () -> run(instance)));
        }
        if (missing > 0) {
            if (set.showsFailedMachines) {
                for (int i = 0; i < missing; i++) {
                    var instance = make(set, now);
                    set.due.add(new Due(now.plus(FAILS_AFTER), () -> fail(instance, set.stockOut)));
                }
            }
            var failure = set.stockOut;
            set.due.add(new Due(now.plus(FAILS_AFTER), () -> settle(set, failure, now.plus(FAILS_AFTER))));
            return arm.accepted(202, describe(set), FAILS_AFTER, failure);
        }
        var takes = had == 0 ? Duration.ofSeconds(5) : BOOT;
        set.due.add(new Due(now.plus(takes), () -> settle(set, null, now.plus(takes))));
        return arm.accepted(200, describe(set), takes, null);
    }

    private Answer delete(FakeSet set, Request request) {
        var now = arm.clock().instant();
        var named = request.body().path("instanceIds");
        if (!named.isArray() || named.isEmpty()) {
            throw new AssertionError("a deletion without instances: Azure takes that for all of them");
        }
        var doomed = new ArrayList<Instance>();
        for (var id : named) {
            var instance = set.instances.get(id.asInt(-1));
            if (instance == null) {
                return Answer.error(
                        400,
                        "InvalidParameter",
                        "The provided instanceId %s is not an active Virtual Machine Scale Set VM instanceId."
                                .formatted(id.asText()));
            }
            doomed.add(instance);
        }
        for (var instance : doomed) {
            if (!instance.state.equals("Deleting")) {
                set.capacity--;
                remove(set, instance, now);
            }
        }
        set.version++;
        set.state = "Updating";
        set.due.add(new Due(now.plus(DELETION), () -> settle(set, null, now.plus(DELETION))));
        return arm.accepted(202, null, DELETION, deletionFails);
    }

    /** What becomes of deletions; null: they succeed. The machines stay then, and count again. */
    ObjectNode deletionFails;

    private void remove(FakeSet set, Instance instance, Instant now) {
        var before = instance.state;
        instance.state = "Deleting";
        var fails = deletionFails;
        set.due.add(new Due(now.plus(DELETION), () -> {
            if (fails == null) {
                set.instances.remove(instance.id);
            } else {
                instance.state = before;
                set.capacity++;
            }
        }));
    }

    private Instance make(FakeSet set, Instant now) {
        var instance = new Instance(set.next++, now);
        set.instances.put(instance.id, instance);
        return instance;
    }

    private static void run(Instance instance) {
        if (instance.state.equals("Creating")) {
            instance.state = "Succeeded";
            instance.power = "PowerState/running";
        }
    }

    private static void fail(Instance instance, ObjectNode failure) {
        if (instance.state.equals("Creating")) {
            instance.state = "Failed";
            instance.power = "PowerState/stopped";
            instance.failure = failure;
        }
    }

    private void settle(FakeSet set, ObjectNode failure, Instant at) {
        set.version++;
        set.state = failure == null ? "Succeeded" : "Failed";
        set.lastFailure = failure;
        set.lastFailureAt = at;
    }

    /** As an eviction does. */
    void evict(FakeSet set, String id) {
        var instance = set.instances.get(Integer.parseInt(id));
        if (set.evictionPolicy.equals("Delete")) {
            set.instances.remove(instance.id);
            set.capacity--;
            set.version++;
        } else {
            instance.power = "PowerState/deallocated";
        }
    }

    private static String etag(FakeSet set) {
        return "\"" + set.version + "\"";
    }

    private static ObjectNode describe(FakeSet set) {
        var body = JSON.createObjectNode();
        body.put("name", set.name)
                .put("id", SETS + "/" + set.name)
                .put("type", "Microsoft.Compute/virtualMachineScaleSets");
        body.put("location", LOCATION).put("etag", etag(set));
        body.putObject("sku")
                .put("name", "Standard_NC6s_v3")
                .put("tier", "Standard")
                .put("capacity", set.capacity);
        set.tags.forEach(body.putObject("tags")::put);
        var properties = body.putObject("properties");
        properties.put("singlePlacementGroup", set.onePlacementGroup).put("overprovision", false);
        properties.put("orchestrationMode", set.orchestration).put("provisioningState", set.state);
        properties.putObject("upgradePolicy").put("mode", "Manual");
        var profile = properties.putObject("virtualMachineProfile");
        profile.put("priority", set.priority);
        if (set.evictionPolicy != null) {
            profile.put("evictionPolicy", set.evictionPolicy);
        }
        return body;
    }

    private Answer list(FakeSet set, Request request) {
        var all = List.copyOf(set.instances.values());
        int from = Integer.parseInt(request.query().getOrDefault("$skiptoken", "0"));
        int to = Math.min(all.size(), from + pageSize);
        var body = JSON.createObjectNode();
        ArrayNode value = body.putArray("value");
        boolean expanded = request.query().getOrDefault("$expand", "").equals("instanceView");
        all.subList(from, to).forEach(instance -> value.add(describe(set, instance, expanded)));
        if (to < all.size()) {
            body.put(
                    "nextLink",
                    "%s%s/%s/virtualMachines?$expand=instanceView&$skiptoken=%d&api-version=2025-04-01"
                            .formatted(arm.endpoint(), SETS, set.name, to));
        }
        return Answer.of(200, body);
    }

    private static ObjectNode describe(FakeSet set, Instance instance, boolean expanded) {
        var body = JSON.createObjectNode();
        body.put("name", set.name + "_" + instance.id).put("instanceId", Integer.toString(instance.id));
        // Azure's lists write resource groups in upper case.
        body.put(
                "id",
                SETS.replace(GROUP, GROUP.toUpperCase(Locale.ROOT)) + "/" + set.name + "/virtualMachines/"
                        + instance.id);
        body.put("type", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines")
                .put("location", LOCATION);
        var properties = body.putObject("properties");
        properties.put("latestModelApplied", true).put("provisioningState", instance.state);
        properties.put("timeCreated", instance.made.toString());
        properties.putObject("osProfile").put("computerName", "%s%06X".formatted(set.name, instance.id));
        if (expanded) {
            var statuses = properties.putObject("instanceView").putArray("statuses");
            var status = statuses.addObject();
            if (instance.failure == null) {
                status.put("code", "ProvisioningState/" + instance.state.toLowerCase(Locale.ROOT))
                        .put("level", "Info");
            } else {
                status.put(
                                "code",
                                "ProvisioningState/failed/"
                                        + instance.failure.path("code").asText())
                        .put("level", "Error");
                status.put("message", instance.failure.path("message").asText());
            }
            status.put("time", instance.made.plus(FAILS_AFTER).toString());
            statuses.addObject().put("code", instance.power).put("level", "Info");
        }
        return body;
    }

    private static ObjectNode view(FakeSet set) {
        var body = JSON.createObjectNode();
        body.putObject("virtualMachine").putArray("statusesSummary");
        var status = body.putArray("statuses").addObject();
        if (set.lastFailure == null) {
            status.put("code", "ProvisioningState/succeeded").put("level", "Info");
        } else {
            status.put(
                            "code",
                            "ProvisioningState/failed/"
                                    + set.lastFailure.path("code").asText())
                    .put("level", "Error");
            status.put("message", set.lastFailure.path("message").asText()).put("time", set.lastFailureAt.toString());
        }
        return body;
    }
}
