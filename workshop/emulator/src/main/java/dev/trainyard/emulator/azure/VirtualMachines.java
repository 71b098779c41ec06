package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.emulator.EmulatedMachine;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Single virtual machines with their network interfaces and disks, and the API of all three. Not thread-safe: callers hold the emulator's
 * lock, or are the only users of the emulator.
 */
public final class VirtualMachines implements ArmResources {

    private static final Duration PART = Duration.ofSeconds(5);
    private static final String GROUP =
            "/subscriptions/%s/resourceGroups/%s/providers/".formatted(AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP);
    static final String MACHINES = GROUP + "Microsoft.Compute/virtualMachines";
    private static final String DISKS = GROUP + "Microsoft.Compute/disks";
    private static final String INTERFACES = GROUP + "Microsoft.Network/networkInterfaces";
    private static final String TAGS = "/providers/Microsoft.Resources/tags/default";
    private static final String DELETING = "Deleting";
    private static final String FAILED = "Failed";

    private final Clock clock;
    private final AzurePace pace;
    private final Operations operations;
    private final Supplier<URI> url;
    private final Agenda agenda = new Agenda();
    private final SortedMap<String, ObjectNode> machines = new TreeMap<>();
    private final SortedMap<String, ObjectNode> interfaces = new TreeMap<>();
    private final SortedMap<String, ObjectNode> disks = new TreeMap<>();
    private final List<String> journal = new ArrayList<>();
    private int pageSize = 50;
    private int stock = Integer.MAX_VALUE;
    private Predicate<String> unavailable = name -> false;
    private ObjectNode stockOut = AzureEmulator.error("AllocationFailed", "Allocation failed.");
    private Optional<ObjectNode> refusal = Optional.empty();
    private boolean failsBeforeItsDisk;
    private boolean withoutTimes;
    private Predicate<String> refused = name -> true;
    private Duration lag = Duration.ZERO;
    private final Deque<Listing> listings = new ArrayDeque<>();

    /** The machines at an earlier time. */
    private record Listing(Instant at, List<ObjectNode> machines) {}

    VirtualMachines(Clock clock, AzurePace pace, Operations operations, Supplier<URI> url) {
        this.clock = clock;
        this.pace = pace;
        this.operations = operations;
        this.url = url;
    }

    /** Returns what happened, such as {@code vm k8s-agentpool1-12345678-0 deleted}, the oldest entry first. */
    public List<String> journal() {
        return List.copyOf(journal);
    }

    public void forget() {
        journal.clear();
    }

    /** Returns the names of all machines, including those being deleted. */
    public SortedSet<String> names() {
        return new TreeSet<>(machines.keySet());
    }

    public SortedSet<String> interfaces() {
        return new TreeSet<>(interfaces.keySet());
    }

    public SortedSet<String> disks() {
        return new TreeSet<>(disks.keySet());
    }

    /** Returns the {@code vmId} of each machine that exists or is being created, by the machine's name. */
    public SortedMap<String, String> present() {
        var present = new TreeMap<String, String>();
        machines.forEach((name, vm) -> {
            if (!state(vm).equals(DELETING)) {
                present.put(name, vm.path("properties").path("vmId").asText());
            }
        });
        return present;
    }

    /**
     * Returns the resource of a machine: the body of the request that created it, with the properties that Azure adds.
     *
     * @throws IllegalArgumentException if the machine does not exist
     */
    public JsonNode machine(String name) {
        return known(machines, name);
    }

    public JsonNode networkInterface(String name) {
        return known(interfaces, name);
    }

    private static JsonNode known(Map<String, ObjectNode> all, String name) {
        var known = all.get(name);
        if (known == null) {
            throw new IllegalArgumentException("there is no " + name);
        }
        return known;
    }

    /** Sets the largest number of machines that can exist, including existing ones. */
    public void stock(int count) {
        stock = count;
    }

    /** Makes machines with matching names out of stock. */
    public void unavailable(Predicate<String> names) {
        unavailable = names;
    }

    /** Sets the error of machines that are out of stock. Requests for such machines are accepted, and fail later. */
    public void stockOut(ObjectNode error) {
        stockOut = error;
    }

    /** Makes requests for machines fail at once, with this error. */
    public void refuse(ObjectNode error) {
        refusal = Optional.of(error);
    }

    /** Makes requests for machines with this prefix fail at once, if {@code count} or more machines with the prefix exist. */
    public void refuseBeyond(int count, String prefix, ObjectNode error) {
        refused = name -> name.startsWith(prefix)
                && machines.keySet().stream()
                                .filter(there -> there.startsWith(prefix))
                                .count()
                        >= count;
        refusal = Optional.of(error);
    }

    /** Makes the list of machines, but nothing else, show an earlier state. */
    public void lag(Duration behind) {
        remember(clock.instant().minus(behind));
        lag = behind;
    }

    private void remember(Instant at) {
        listings.addFirst(new Listing(
                at, machines.values().stream().map(ObjectNode::deepCopy).toList()));
    }

    private List<ObjectNode> listed() {
        var until = clock.instant().minus(lag);
        return lag.isZero()
                ? List.copyOf(machines.values())
                : listings.stream()
                        .filter(listing -> !listing.at().isAfter(until))
                        .findFirst()
                        .map(Listing::machines)
                        .orElse(List.of());
    }

    /** Removes the times of failures from instance views. */
    public void withoutTimes() {
        withoutTimes = true;
    }

    /** Makes machines that are out of stock fail before their disk is created. */
    public void failBeforeItsDisk() {
        failsBeforeItsDisk = true;
    }

    void pageSize(int entries) {
        pageSize = entries;
    }

    Stream<EmulatedMachine> machines() {
        return machines.entrySet().stream()
                .filter(vm -> List.of("Succeeded", DELETING).contains(state(vm.getValue())))
                .map(vm -> new EmulatedMachine(
                        vm.getKey().replaceAll("[0-9]+$", ""),
                        vm.getKey(),
                        "azure://" + MACHINES + "/" + vm.getKey(),
                        Instant.parse(
                                vm.getValue().at("/properties/timeCreated").asText())));
    }

    /** Creates a machine as acs-engine does: with two addresses, and a disk name chosen by Azure. */
    public void makeStanding(String prefix, int index) {
        var nic = ArmRequest.JSON.createObjectNode().put("location", AzureEmulator.LOCATION);
        var properties = nic.putObject("properties").put("enableIPForwarding", true);
        var addresses = properties.putArray("ipConfigurations");
        for (int i = 1; i <= 2; i++) {
            var address = addresses.addObject().put("name", "ipconfig" + i).putObject("properties");
            address.put("primary", i == 1)
                    .putObject("subnet")
                    .put("id", GROUP + "Microsoft.Network/virtualNetworks/v/subnets/s");
        }
        putInterface(prefix + "nic-" + index, nic);
        putMachine(prefix + index, standing(prefix, index));
    }

    /** Creates a machine that the lists of interfaces and disks do not show: it has no interface, and its disk has an unrelated name. */
    public void makeHidden(String prefix, int index) {
        var vm = standing(prefix, index);
        vm.withObject("/properties/storageProfile/osDisk").put("name", "some-disk");
        putMachine(prefix + index, vm);
    }

    private static ObjectNode standing(String prefix, int index) {
        var vm = ArmRequest.JSON.createObjectNode().put("location", AzureEmulator.LOCATION);
        vm.putObject("tags").put("poolName", "agentpool1");
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
                .put("id", INTERFACES + "/" + prefix + "nic-" + index);
        of.putObject("availabilitySet")
                .put("id", GROUP + "Microsoft.Compute/availabilitySets/agentpool1-availabilitySet");
        return vm;
    }

    @Override
    public void advance(Instant now) {
        agenda.advance(now);
        if (!lag.isZero()) {
            remember(now);
        }
    }

    @Override
    public Optional<ArmAnswer> answer(ArmRequest request) {
        if (request.path().endsWith(TAGS)) {
            return Optional.of(tag(request));
        }
        return Stream.of(MACHINES, DISKS, INTERFACES)
                .filter(kind -> (request.lowerPath() + "/").startsWith(kind.toLowerCase(Locale.ROOT) + "/"))
                .findFirst()
                .map(kind -> request.path().length() == kind.length()
                        ? list(kind, request)
                        : one(kind, request.lowerPath().substring(kind.length() + 1), request));
    }

    private SortedMap<String, ObjectNode> of(String kind) {
        return kind.equals(MACHINES) ? machines : kind.equals(DISKS) ? disks : interfaces;
    }

    private ArmAnswer list(String kind, ArmRequest request) {
        return Page.of(
                kind.equals(MACHINES) ? listed() : List.copyOf(of(kind).values()),
                VirtualMachines::withoutView,
                request,
                pageSize,
                "%s%s?list".formatted(url.get(), kind));
    }

    private static ObjectNode withoutView(ObjectNode one) {
        var told = one.deepCopy();
        if (told.path("properties") instanceof ObjectNode properties) {
            properties.remove("instanceView");
        }
        return told;
    }

    private ArmAnswer one(String kind, String name, ArmRequest request) {
        var there = of(kind).get(name);
        return switch (request.method()) {
            case "GET" -> there == null ? ArmAnswer.notFound(request.path()) : ArmAnswer.of(200, there);
            case "PUT" -> put(kind, name, request);
            case "DELETE" -> there == null ? ArmAnswer.empty(204) : delete(kind, name, there);
            default -> ArmAnswer.notFound(request.path());
        };
    }

    private ArmAnswer put(String kind, String name, ArmRequest request) {
        if (kind.equals(INTERFACES)) {
            return ArmAnswer.of(201, putInterface(name, request.body()));
        }
        if (machines.containsKey(name) && "*".equals(request.headers().get("if-none-match"))) {
            return ArmAnswer.error(
                    412, "PreconditionFailed", "The precondition given in the If-None-Match header was not met.");
        }
        if (disks.containsKey(diskOf(request.body()))) {
            return ArmAnswer.error(409, "ConflictingUserInput", "Disk already exists.");
        }
        return refusal.filter(error -> refused.test(name))
                .map(error -> ArmAnswer.error(409, error))
                .orElseGet(() -> putMachine(name, request.body()));
    }

    private ObjectNode putInterface(String name, ObjectNode body) {
        var nic = body.deepCopy().put("name", name).put("id", INTERFACES + "/" + name);
        nic.withObject("/properties").put("provisioningState", "Succeeded");
        interfaces.put(name, nic);
        journal.add("nic " + name + " made");
        return nic;
    }

    private ArmAnswer putMachine(String name, ObjectNode body) {
        var now = clock.instant();
        var alive = machines.values().stream()
                .filter(vm -> !state(vm).equals(FAILED))
                .count();
        boolean had = !unavailable.test(name) && alive < stock;
        var vm = body.deepCopy().put("name", name).put("id", MACHINES + "/" + name);
        vm.put("type", "Microsoft.Compute/virtualMachines").put("etag", "\"1\"");
        vm.withObject("/properties")
                .put("provisioningState", "Creating")
                .put("timeCreated", now.toString())
                .put(
                        "vmId",
                        UUID.nameUUIDFromBytes((name + now).getBytes(StandardCharsets.UTF_8))
                                .toString());
        var osDisk = vm.withObject("/properties/storageProfile/osDisk");
        var disk = osDisk.path("name").asText();
        osDisk.withObject("/managedDisk").put("id", DISKS + "/" + disk);
        machines.put(name, vm);
        journal.add("vm " + name + " made");
        attach(vm, Optional.of(MACHINES + "/" + name));
        if (had || !failsBeforeItsDisk) {
            makeDisk(name, disk);
        }
        var failure = had ? Optional.<ObjectNode>empty() : Optional.of(stockOut);
        var takes = had ? pace.boot() : pace.failure();
        agenda.at(now.plus(takes), () -> settle(vm, failure, now.plus(takes)));
        return operations.accepted(ArmAnswer.of(201, vm), takes, failure);
    }

    private void makeDisk(String vm, String disk) {
        var made = ArmRequest.JSON.createObjectNode().put("name", disk).put("id", DISKS + "/" + disk);
        made.put("location", AzureEmulator.LOCATION).put("managedBy", MACHINES + "/" + vm);
        made.putObject("properties")
                .put("diskState", "Attached")
                .put("osType", "Linux")
                .put("provisioningState", "Succeeded");
        disks.put(disk.toLowerCase(Locale.ROOT), made);
    }

    private void settle(ObjectNode vm, Optional<ObjectNode> failure, Instant at) {
        if (!state(vm).equals("Creating")) {
            return;
        }
        var properties = vm.withObject("/properties");
        properties.put("provisioningState", failure.isEmpty() ? "Succeeded" : FAILED);
        var statuses = properties.putObject("instanceView").putArray("statuses");
        var status = Statuses.provisioning(statuses.addObject(), "Succeeded", failure);
        if (!withoutTimes) {
            status.put("time", at.toString());
        }
        if (failure.isEmpty()) {
            statuses.addObject().put("code", "PowerState/running");
        }
    }

    private ArmAnswer delete(String kind, String name, ObjectNode there) {
        if (kind.equals(MACHINES)) {
            there.withObject("/properties").put("provisioningState", DELETING);
            journal.add("vm " + name + " deleting");
            agenda.at(clock.instant().plus(pace.deletion()), () -> remove(name));
            return operations.accepted(ArmAnswer.empty(202), pace.deletion(), Optional.empty());
        }
        boolean nic = kind.equals(INTERFACES);
        if (nic ? there.path("properties").has("virtualMachine") : there.has("managedBy")) {
            return ArmAnswer.error(400, nic ? "NicInUse" : "OperationNotAllowed", name + " is in use");
        }
        of(kind).remove(name);
        journal.add("%s %s deleted"
                .formatted(nic ? "nic" : "disk", there.path("name").asText()));
        return operations.accepted(ArmAnswer.empty(202), PART, Optional.empty());
    }

    /** Deletes the interfaces and disks of a machine that have the delete option Delete. */
    private void goWith(ObjectNode vm) {
        for (var reference : vm.at("/properties/networkProfile/networkInterfaces")) {
            var path = reference.path("id").asText();
            if (reference.at("/properties/deleteOption").asText().equals("Delete")
                    && interfaces.remove(path.substring(path.lastIndexOf('/') + 1)) != null) {
                journal.add("nic " + path.substring(path.lastIndexOf('/') + 1) + " deleted");
            }
        }
        if (vm.at("/properties/storageProfile/osDisk/deleteOption").asText().equals("Delete")
                && disks.remove(diskOf(vm)) != null) {
            journal.add("disk " + diskOf(vm) + " deleted");
        }
    }

    /** Removes a machine at once, as an operator may do by hand. Interface and disk stay, unless their delete option is Delete. */
    public void remove(String name) {
        var vm = machines.remove(name);
        if (vm == null) {
            return;
        }
        journal.add("vm " + name + " deleted");
        attach(vm, Optional.empty());
        goWith(vm);
        var disk = disks.get(diskOf(vm));
        if (disk != null) {
            disk.remove("managedBy");
            disk.withObject("/properties").put("diskState", "Unattached");
        }
    }

    private void attach(ObjectNode vm, Optional<String> machine) {
        for (var reference : vm.at("/properties/networkProfile/networkInterfaces")) {
            var path = reference.path("id").asText();
            var nic = interfaces.get(path.substring(path.lastIndexOf('/') + 1));
            if (nic != null) {
                var properties = nic.withObject("/properties");
                machine.ifPresentOrElse(
                        id -> properties.putObject("virtualMachine").put("id", id),
                        () -> properties.remove("virtualMachine"));
            }
        }
    }

    private ArmAnswer tag(ArmRequest request) {
        var path = request.lowerPath().substring(0, request.path().length() - TAGS.length());
        var of = (path.contains("/disks/") ? disks : interfaces).get(path.substring(path.lastIndexOf('/') + 1));
        if (of == null) {
            return ArmAnswer.notFound(path);
        }
        if (request.body().at("/properties/tags") instanceof ObjectNode tags) {
            var there = of.withObject("/tags");
            if (request.body().path("operation").asText().equals("Delete")) {
                tags.properties().stream()
                        .filter(tag -> tag.getValue().equals(there.get(tag.getKey())))
                        .map(Map.Entry::getKey)
                        .toList()
                        .forEach(there::remove);
            } else {
                there.setAll(tags);
            }
        }
        return ArmAnswer.of(200, ArmRequest.JSON.createObjectNode());
    }

    private static String diskOf(ObjectNode vm) {
        return vm.at("/properties/storageProfile/osDisk/name").asText().toLowerCase(Locale.ROOT);
    }

    private static String state(ObjectNode vm) {
        return vm.path("properties").path("provisioningState").asText();
    }
}
