package dev.trainyard.scaler.azure;

import static dev.trainyard.scaler.azure.FakeArm.GROUP;
import static dev.trainyard.scaler.azure.FakeArm.JSON;
import static dev.trainyard.scaler.azure.FakeArm.LOCATION;
import static dev.trainyard.scaler.azure.FakeArm.SUBSCRIPTION;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.scaler.azure.FakeArm.Answer;
import dev.trainyard.scaler.azure.FakeArm.Request;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Single machines of the fake, with their network interfaces and disks. */
final class FakeVirtualMachines implements FakeArm.Part {

    static final Duration BOOT = Duration.ofSeconds(90);
    static final Duration FAILS_AFTER = Duration.ofSeconds(20);
    static final Duration DELETION = Duration.ofSeconds(60);

    private static final String RESOURCES =
            "/subscriptions/%s/resourceGroups/%s/providers/".formatted(SUBSCRIPTION, GROUP);
    private static final String VMS = RESOURCES + "Microsoft.Compute/virtualMachines";
    private static final String DISKS = RESOURCES + "Microsoft.Compute/disks";
    private static final String NICS = RESOURCES + "Microsoft.Network/networkInterfaces";
    private static final String TAGS = "/providers/Microsoft.Resources/tags/default";

    private final FakeArm arm;
    final Map<String, ObjectNode> vms = new TreeMap<>();
    final Map<String, ObjectNode> nics = new TreeMap<>();
    final Map<String, ObjectNode> disks = new TreeMap<>();
    /** What happened, such as {@code vm k8s-agentpool1-12345678-0 deleted}. */
    final List<String> journal = new ArrayList<>();

    private final List<Due> due = new ArrayList<>();
    int stock = Integer.MAX_VALUE;
    /** Of machines whose names begin so there are none; null: there are. */
    String unavailable;

    int pageSize = 50;
    /** Why machines that cannot be had fail, a while after they were accepted. */
    ObjectNode stockOut = FakeScaleSets.error("AllocationFailed", "Allocation failed.");
    /** Why orders of machines are refused at once; null: they are not. */
    ObjectNode refusal;
    /** Whether one that failed got as far as to have a disk. */
    boolean failsBeforeItsDisk;

    private record Due(Instant at, Runnable what) {}

    FakeVirtualMachines(FakeArm arm) {
        this.arm = arm;
    }

    /** A machine as acs-engine made it: Azure chose the disk's name. */
    void standing(String prefix, int index) {
        var nic = JSON.createObjectNode();
        nic.put("location", LOCATION);
        var properties = nic.putObject("properties");
        properties.put("enableIPForwarding", true);
        var addresses = properties.putArray("ipConfigurations");
        for (int i = 1; i <= 2; i++) {
            var address = addresses.addObject().put("name", "ipconfig" + i).putObject("properties");
            address.put("primary", i == 1)
                    .putObject("subnet")
                    .put("id", RESOURCES + "Microsoft.Network/virtualNetworks/v/subnets/s");
        }
        putNic(prefix + "nic-" + index, nic);
        var vm = JSON.createObjectNode();
        vm.put("location", LOCATION).putObject("tags").put("poolName", "agentpool1");
        var of = vm.putObject("properties");
        of.putObject("hardwareProfile").put("vmSize", "Standard_NC6");
        var storage = of.putObject("storageProfile");
        storage.putObject("imageReference")
                .put("publisher", "Canonical")
                .put("offer", "UbuntuServer")
                .put("sku", "16.04-LTS")
                .put("version", "latest");
        storage.putObject("osDisk")
                .put("name", prefix + index + "_OsDisk_1_0a1b2c3d")
                .put("createOption", "FromImage")
                .putObject("managedDisk")
                .put("storageAccountType", "Standard_LRS");
        var os = of.putObject("osProfile").put("computerName", prefix + index).put("adminUsername", "azureuser");
        os.putObject("linuxConfiguration")
                .putObject("ssh")
                .putArray("publicKeys")
                .addObject()
                .put("path", "/home/azureuser/.ssh/authorized_keys")
                .put("keyData", "ssh-rsa AAAA");
        of.putObject("networkProfile")
                .putArray("networkInterfaces")
                .addObject()
                .put("id", NICS + "/" + prefix + "nic-" + index);
        of.putObject("availabilitySet")
                .put("id", RESOURCES + "Microsoft.Compute/availabilitySets/agentpool1-availabilitySet");
        putVm(prefix + index, vm);
    }

    @Override
    public void advance(Instant now) {
        var ready = due.stream()
                .filter(d -> !d.at().isAfter(now))
                .sorted(Comparator.comparing(Due::at))
                .toList();
        due.removeAll(ready);
        ready.forEach(d -> d.what().run());
    }

    @Override
    public Answer answer(Request request) {
        if (request.path().endsWith(TAGS)) {
            return tag(request);
        }
        var path = request.path().toLowerCase(Locale.ROOT);
        for (var kind : List.of(VMS, DISKS, NICS)) {
            var root = kind.toLowerCase(Locale.ROOT);
            if (path.equals(root)) {
                return list(
                        kind,
                        kind.equals(VMS) ? vms.values() : kind.equals(DISKS) ? disks.values() : nics.values(),
                        request);
            }
            if (path.startsWith(root + "/")) {
                return one(kind, path.substring(root.length() + 1), request);
            }
        }
        return null;
    }

    private Answer list(String kind, Collection<ObjectNode> all, Request request) {
        int from = Integer.parseInt(request.query().getOrDefault("$skiptoken", "0"));
        int to = Math.min(all.size(), from + pageSize);
        var body = JSON.createObjectNode();
        var value = body.putArray("value");
        List.copyOf(all).subList(from, to).forEach(one -> {
            var told = one.deepCopy();
            ((ObjectNode) told.path("properties")).remove("instanceView");
            value.add(told);
        });
        if (to < all.size()) {
            body.put("nextLink", "%s%s?$skiptoken=%d&api-version=2025-04-01".formatted(arm.endpoint(), kind, to));
        }
        return Answer.of(200, body);
    }

    private Answer one(String kind, String name, Request request) {
        var all = kind.equals(VMS) ? vms : kind.equals(DISKS) ? disks : nics;
        var there = all.get(name);
        return switch (request.method()) {
            case "GET" ->
                there == null ? Answer.error(404, "ResourceNotFound", "was not found") : Answer.of(200, there);
            case "PUT" -> put(kind, name, request);
            case "DELETE" -> there == null ? Answer.of(204, null) : delete(kind, name, there);
            default -> null;
        };
    }

    private Answer put(String kind, String name, Request request) {
        if (kind.equals(NICS)) {
            putNic(name, request.body());
            return Answer.of(201, nics.get(name));
        }
        if (vms.containsKey(name) && "*".equals(request.headers().get("if-none-match"))) {
            return Answer.error(
                    412, "PreconditionFailed", "The precondition given in the If-None-Match header was not met.");
        }
        if (disks.containsKey(request.body()
                .path("properties")
                .path("storageProfile")
                .path("osDisk")
                .path("name")
                .asText()
                .toLowerCase(Locale.ROOT))) {
            return Answer.error(409, "ConflictingUserInput", "Disk already exists.");
        }
        if (refusal != null) {
            var body = JSON.createObjectNode();
            body.set("error", refusal);
            return Answer.of(409, body);
        }
        return putVm(name, request.body());
    }

    private void putNic(String name, ObjectNode body) {
        var nic = body.deepCopy();
        nic.put("name", name).put("id", NICS + "/" + name);
        ((ObjectNode) nic.path("properties")).put("provisioningState", "Succeeded");
        nics.put(name, nic);
        journal.add("nic " + name + " made");
    }

    private Answer putVm(String name, ObjectNode body) {
        var now = arm.clock().instant();
        boolean had = (unavailable == null || !name.startsWith(unavailable))
                && vms.values().stream()
                                .filter(vm -> !state(vm).equals("Failed"))
                                .count()
                        < stock;
        var vm = body.deepCopy();
        vm.put("name", name)
                .put("id", VMS + "/" + name)
                .put("type", "Microsoft.Compute/virtualMachines")
                .put("etag", "\"1\"");
        var properties = (ObjectNode) vm.path("properties");
        properties
                .put("provisioningState", "Creating")
                .put(
                        "vmId",
                        UUID.nameUUIDFromBytes((name + now).getBytes(StandardCharsets.UTF_8))
                                .toString());
        properties.put("timeCreated", now.toString());
        var osDisk = (ObjectNode) properties.path("storageProfile").path("osDisk");
        var disk = osDisk.path("name").asText();
        (osDisk.has("managedDisk") ? (ObjectNode) osDisk.path("managedDisk") : osDisk.putObject("managedDisk"))
                .put("id", DISKS + "/" + disk);
        vms.put(name, vm);
        journal.add("vm " + name + " made");
        attach(vm, VMS + "/" + name);
        if (had || !failsBeforeItsDisk) {
            makeDisk(name, disk);
        }
        var failure = had ? null : stockOut;
        due.add(new Due(now.plus(had ? BOOT : FAILS_AFTER), () -> settle(vm, failure, now.plus(FAILS_AFTER))));
        return arm.accepted(201, vm, had ? BOOT : FAILS_AFTER, failure);
    }

    private void makeDisk(String vm, String disk) {
        var made = JSON.createObjectNode();
        made.put("name", disk)
                .put("id", DISKS + "/" + disk)
                .put("location", LOCATION)
                .put("managedBy", VMS + "/" + vm);
        made.putObject("properties")
                .put("diskState", "Attached")
                .put("osType", "Linux")
                .put("provisioningState", "Succeeded");
        disks.put(disk.toLowerCase(Locale.ROOT), made);
    }

    private static void settle(ObjectNode vm, ObjectNode failure, Instant at) {
        if (!state(vm).equals("Creating")) {
            return;
        }
        var properties = (ObjectNode) vm.path("properties");
        properties.put("provisioningState", failure == null ? "Succeeded" : "Failed");
        var statuses = properties.putObject("instanceView").putArray("statuses");
        if (failure == null) {
            statuses.addObject().put("code", "ProvisioningState/succeeded");
            statuses.addObject().put("code", "PowerState/running");
        } else {
            statuses.addObject()
                    .put(
                            "code",
                            "ProvisioningState/failed/" + failure.path("code").asText())
                    .put("message", failure.path("message").asText())
                    .put("time", at.toString());
        }
    }

    private Answer delete(String kind, String name, ObjectNode there) {
        var now = arm.clock().instant();
        if (kind.equals(VMS)) {
            ((ObjectNode) there.path("properties")).put("provisioningState", "Deleting");
            journal.add("vm " + name + " deleting");
            due.add(new Due(now.plus(DELETION), () -> gone(name)));
            return arm.accepted(202, null, DELETION, null);
        }
        boolean attached = kind.equals(NICS) ? there.path("properties").has("virtualMachine") : there.has("managedBy");
        if (attached) {
            return Answer.error(400, kind.equals(NICS) ? "NicInUse" : "OperationNotAllowed", name + " is in use");
        }
        if (kind.equals(NICS)) {
            nics.remove(name);
            journal.add("nic " + name + " deleted");
        } else {
            disks.remove(name);
            journal.add("disk " + there.path("name").asText() + " deleted");
        }
        return arm.accepted(202, null, Duration.ofSeconds(5), null);
    }

    /** Also what an operator does who deletes a machine by hand: interface and disk stay. */
    void gone(String name) {
        var vm = vms.remove(name);
        if (vm == null) {
            return;
        }
        journal.add("vm " + name + " deleted");
        attach(vm, null);
        var disk = disks.get(vm.path("properties")
                .path("storageProfile")
                .path("osDisk")
                .path("name")
                .asText()
                .toLowerCase(Locale.ROOT));
        if (disk != null) {
            disk.remove("managedBy");
            ((ObjectNode) disk.path("properties")).put("diskState", "Unattached");
        }
    }

    private void attach(ObjectNode vm, String id) {
        vm.path("properties").path("networkProfile").path("networkInterfaces").forEach(reference -> {
            var path = reference.path("id").asText();
            var nic = nics.get(path.substring(path.lastIndexOf('/') + 1));
            if (nic != null && id != null) {
                ((ObjectNode) nic.path("properties"))
                        .putObject("virtualMachine")
                        .put("id", id);
            } else if (nic != null) {
                ((ObjectNode) nic.path("properties")).remove("virtualMachine");
            }
        });
    }

    private Answer tag(Request request) {
        var path = request.path().substring(0, request.path().length() - TAGS.length());
        var name = path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        var of = path.contains("/disks/") ? disks.get(name) : nics.get(name);
        if (of == null) {
            return Answer.error(404, "ResourceNotFound", "was not found");
        }
        var tags = of.has("tags") ? (ObjectNode) of.path("tags") : of.putObject("tags");
        tags.setAll((ObjectNode) request.body().path("properties").path("tags"));
        return Answer.of(200, JSON.createObjectNode());
    }

    static String state(ObjectNode vm) {
        return vm.path("properties").path("provisioningState").asText();
    }
}
