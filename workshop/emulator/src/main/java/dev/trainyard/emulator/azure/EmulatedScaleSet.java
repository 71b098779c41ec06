package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An emulated Azure scale set, with the worst behaviour that Azure allows. If the size is lowered, the set itself chooses the machines to
 * delete.
 *
 * <p>The machines of a set with flexible orchestration are virtual machines with names. Azure was observed to treat a new size of such a set
 * as a difference from the old size. A size that is higher by two creates two machines, and a size that is lower by two deletes two. The
 * number of existing machines has no effect. An eviction does not lower the size.
 *
 * <p>Not thread-safe: callers hold the emulator's lock, or are the only users of the emulator.
 */
public final class EmulatedScaleSet {

    private final String name;
    private final Clock clock;
    private final AzurePace pace;
    private final Agenda agenda = new Agenda();
    private final Map<Integer, ScaleSetInstance> instances = new TreeMap<>();
    private final Map<String, String> tags = new TreeMap<>();
    private int next;
    private int capacity;
    private int version = 1;
    private String state = "Succeeded";
    private String size = "Standard_NC6s_v3";
    private String priority = "Spot";
    private String evictionPolicy = "Delete";
    private String orchestration = "Uniform";
    private boolean onePlacementGroup;
    private String upgrades = "Manual";
    private boolean upgradesImages;
    private boolean repairs;
    private int stock = Integer.MAX_VALUE;
    private boolean showsFailed;
    private int unlisted;
    private boolean summarizes = true;
    private boolean hasEtag = true;
    private boolean seemsSettled;
    private ObjectNode stockOut = AzureEmulator.error(
            "AllocationFailed",
            "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance");
    private Optional<ObjectNode> deletionFailure = Optional.empty();
    private Optional<Failed> lastFailure = Optional.empty();
    private Runnable meanwhile = () -> {};

    private record Failed(ObjectNode error, Instant at) {}

    /** The result of a change: its duration, and its failure, if any. */
    record Change(Duration takes, Optional<ObjectNode> failure) {}

    EmulatedScaleSet(String name, Clock clock, AzurePace pace) {
        this.name = name;
        this.clock = clock;
        this.pace = pace;
    }

    public String name() {
        return name;
    }

    public int capacity() {
        return capacity;
    }

    /** Returns the IDs of the machines that exist or are being created: numbers in a uniform set, names in a flexible set. */
    public SortedSet<String> present() {
        var present = new TreeSet<String>();
        instances.values().stream().filter(ScaleSetInstance::counts).forEach(instance -> present.add(id(instance)));
        return present;
    }

    Collection<ScaleSetInstance> instances() {
        return instances.values();
    }

    /** Makes the set use on-demand machines; initially it uses spot machines. */
    public EmulatedScaleSet regular() {
        priority = "Regular";
        return this;
    }

    /**
     * Sets the machine size.
     *
     * @param machineSize the name of the size; initially Standard_NC6s_v3
     */
    public EmulatedScaleSet size(String machineSize) {
        size = machineSize;
        return this;
    }

    /**
     * Sets the eviction policy.
     *
     * @param policy the eviction policy in Azure's terms; initially Delete
     */
    public EmulatedScaleSet evictionPolicy(String policy) {
        evictionPolicy = policy;
        return this;
    }

    /**
     * Sets the orchestration mode.
     *
     * @param mode the mode in Azure's terms; initially Uniform
     */
    public EmulatedScaleSet orchestration(String mode) {
        orchestration = mode;
        return this;
    }

    boolean isFlexible() {
        return orchestration.equals("Flexible");
    }

    /** Sets {@code singlePlacementGroup: true}. */
    public EmulatedScaleSet onePlacementGroup() {
        onePlacementGroup = true;
        return this;
    }

    /**
     * Sets how existing machines are upgraded to a new model or image of the set.
     *
     * @param mode the upgrade mode in Azure's terms; initially Manual
     * @param images whether newer images are applied automatically; initially false
     */
    public EmulatedScaleSet upgrades(String mode, boolean images) {
        upgrades = mode;
        upgradesImages = images;
        return this;
    }

    /** Enables the automatic replacement of unhealthy machines. */
    public EmulatedScaleSet repairs() {
        repairs = true;
        return this;
    }

    public EmulatedScaleSet tag(String tag, String value) {
        tags.put(tag, value);
        return this;
    }

    /** Sets the largest number of machines that can exist, including existing ones. */
    public EmulatedScaleSet stock(int machines) {
        stock = machines;
        return this;
    }

    /** Sets the error for machines that are out of stock. */
    public EmulatedScaleSet stockOut(ObjectNode error) {
        stockOut = error;
        return this;
    }

    /** Makes machines that are out of stock appear in lists as failed machines; initially they do not appear. */
    public EmulatedScaleSet showFailed() {
        showsFailed = true;
        return this;
    }

    /** Makes the list of machines stale: the given number of newest machines is left out. */
    public void unlisted(int newest) {
        unlisted = newest;
    }

    Collection<ScaleSetInstance> listed() {
        return instances.values().stream()
                .limit(Math.max(0, instances.size() - unlisted))
                .toList();
    }

    /** Removes the counts of machines from the instance view. */
    public void withoutSummary() {
        summarizes = false;
    }

    /** Removes the etag from the description. */
    public void withoutEtag() {
        hasEtag = false;
    }

    /** Makes the description report success while a change is in progress. */
    public void seemSettled() {
        seemsSettled = true;
    }

    /** Sets the error of deletions; empty if they succeed. If a deletion fails, its machines stay, and the size includes them again. */
    public void deletionFailure(Optional<ObjectNode> error) {
        deletionFailure = error;
    }

    /**
     * Sets an action that runs once, just before a client's next change of the size takes effect. At that time, the client has already read
     * the set.
     */
    public void meanwhile(Runnable what) {
        meanwhile = what;
    }

    void aboutToChange() {
        var what = meanwhile;
        meanwhile = () -> {};
        what.run();
    }

    String etag() {
        return "\"" + version + "\"";
    }

    int limit() {
        return onePlacementGroup ? 100 : 1000;
    }

    void advance(Instant now) {
        agenda.advance(now);
    }

    /** Changes the size as another user of the set does. */
    public void resize(int wanted) {
        change(wanted);
    }

    Change change(int wanted) {
        var now = clock.instant();
        version++;
        state = "Updating";
        var there = instances.values().stream().filter(ScaleSetInstance::counts).toList();
        int more = wanted - (isFlexible() ? capacity : there.size());
        int present = Math.max(0, there.size() + Math.min(0, more));
        // Azure chooses the machines that a lower size deletes: here the newest, as with its default policy.
        there.subList(present, there.size()).forEach(instance -> remove(instance, now));
        capacity = wanted;
        int had = Math.min(Math.max(0, more), Math.max(0, stock - present));
        for (int i = 0; i < had; i++) {
            agenda.at(now.plus(pace.boot()), make(now)::run);
        }
        int missing = Math.max(0, more) - had;
        if (missing > 0) {
            return fail(missing, now);
        }
        var takes = had == 0 ? pace.failure().dividedBy(4) : pace.boot();
        agenda.at(now.plus(takes), () -> settle(Optional.empty()));
        return new Change(takes, Optional.empty());
    }

    private Change fail(int missing, Instant now) {
        var error = stockOut;
        var at = now.plus(pace.failure());
        for (int i = 0; showsFailed && i < missing; i++) {
            var instance = make(now);
            agenda.at(at, () -> instance.fail(error));
        }
        agenda.at(at, () -> settle(Optional.of(new Failed(error, at))));
        return new Change(pace.failure(), Optional.of(error));
    }

    Change delete(List<ScaleSetInstance> doomed) {
        var now = clock.instant();
        for (var instance : doomed) {
            if (instance.counts()) {
                capacity--;
                remove(instance, now);
            }
        }
        version++;
        state = "Updating";
        agenda.at(now.plus(pace.deletion()), () -> settle(Optional.empty()));
        return new Change(pace.deletion(), deletionFailure);
    }

    private void remove(ScaleSetInstance instance, Instant now) {
        var undo = instance.delete();
        boolean fails = deletionFailure.isPresent();
        agenda.at(now.plus(pace.deletion()), () -> {
            if (fails) {
                undo.run();
                capacity++;
            } else {
                instances.remove(instance.id());
            }
        });
    }

    Optional<ScaleSetInstance> instance(String id) {
        return instances.values().stream()
                .filter(instance -> id(instance).equals(id))
                .findFirst();
    }

    /** Returns the identifier of a machine in requests. */
    String id(ScaleSetInstance instance) {
        // Azure appends eight meaningless digits to the names of machines of flexible sets.
        return isFlexible() ? "%s_%08x".formatted(name, instance.id() * 0x9E3779B1) : Integer.toString(instance.id());
    }

    private ScaleSetInstance make(Instant now) {
        var instance = new ScaleSetInstance(next++, now);
        instances.put(instance.id(), instance);
        return instance;
    }

    private void settle(Optional<Failed> failure) {
        version++;
        state = failure.isEmpty() ? "Succeeded" : "Failed";
        lastFailure = failure;
    }

    /** Evicts a machine according to the eviction policy. */
    public void evict(String id) {
        instance(id).ifPresent(instance -> {
            if (evictionPolicy.equals("Delete")) {
                instances.remove(instance.id());
                capacity -= isFlexible() ? 0 : 1;
                version++;
            } else {
                instance.deallocate();
            }
        });
    }

    ObjectNode describe(String id) {
        var body = ArmRequest.JSON.createObjectNode();
        body.put("name", name).put("id", id).put("type", "Microsoft.Compute/virtualMachineScaleSets");
        body.put("location", AzureEmulator.LOCATION);
        if (hasEtag) {
            body.put("etag", etag());
        }
        body.putObject("sku").put("name", size).put("tier", "Standard").put("capacity", capacity);
        tags.forEach(body.putObject("tags")::put);
        var properties = body.putObject("properties");
        properties.put("singlePlacementGroup", onePlacementGroup).put("overprovision", false);
        properties.put("orchestrationMode", orchestration).put("provisioningState", seemsSettled ? "Succeeded" : state);
        var upgradePolicy = properties.putObject("upgradePolicy").put("mode", upgrades);
        upgradePolicy.putObject("automaticOSUpgradePolicy").put("enableAutomaticOSUpgrade", upgradesImages);
        properties.putObject("automaticRepairsPolicy").put("enabled", repairs).put("gracePeriod", "PT10M");
        properties.putObject("virtualMachineProfile").put("priority", priority).put("evictionPolicy", evictionPolicy);
        return body;
    }

    ObjectNode view() {
        var body = ArmRequest.JSON.createObjectNode();
        if (summarizes) {
            var summary = body.putObject("virtualMachine").putArray("statusesSummary");
            instances.values().stream()
                    .collect(Collectors.groupingBy(ScaleSetInstance::provisioning, TreeMap::new, Collectors.counting()))
                    .forEach((state, count) -> summary.addObject()
                            .put("code", "ProvisioningState/" + state.toLowerCase(Locale.ROOT))
                            .put("count", count));
            summary.addObject().put("code", "PowerState/running").put("count", instances.size());
        }
        var status = body.putArray("statuses").addObject();
        Statuses.provisioning(status, "Succeeded", lastFailure.map(Failed::error));
        lastFailure.ifPresent(failure -> status.put("time", failure.at().toString()));
        return body;
    }

    /** Returns the computer name of a machine. */
    String computer(ScaleSetInstance instance) {
        return "%s%06X".formatted(name, instance.id());
    }

    /** Returns the time of a machine's status in answers, which is exact only for a failed start. */
    Instant changed(ScaleSetInstance instance) {
        return instance.made().plus(pace.failure());
    }
}
