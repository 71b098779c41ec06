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
 * A scale set as Azure keeps it. It is as unkind as Azure may be: a lower size costs machines of its own choice.
 *
 * <p>The machines of a set with flexible orchestration are virtual machines with names. Such a set was seen to take a new size for a
 * difference: a size that is higher by two makes two machines, and one that is lower by two costs two that run, whatever number exists. When
 * a machine goes alone, as by an eviction, the size stays.
 *
 * <p>Not thread-safe: for whoever holds the emulator's lock, or has the emulator to itself.
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

    /** What a change came to: when it ends, and with which failure. */
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

    /** Machines that are there or being made, by their numbers, or by their names in a flexible set. */
    public SortedSet<String> present() {
        var present = new TreeSet<String>();
        instances.values().stream().filter(ScaleSetInstance::counts).forEach(instance -> present.add(id(instance)));
        return present;
    }

    Collection<ScaleSetInstance> instances() {
        return instances.values();
    }

    /** On-demand machines; spot ones at first. */
    public EmulatedScaleSet regular() {
        priority = "Regular";
        return this;
    }

    /**
     * Sets the machine size.
     *
     * @param machineSize Standard_NC6s_v3 at first
     */
    public EmulatedScaleSet size(String machineSize) {
        size = machineSize;
        return this;
    }

    /**
     * Sets the eviction policy.
     *
     * @param policy Delete at first
     */
    public EmulatedScaleSet evictionPolicy(String policy) {
        evictionPolicy = policy;
        return this;
    }

    /**
     * Sets the orchestration mode.
     *
     * @param mode Uniform at first
     */
    public EmulatedScaleSet orchestration(String mode) {
        orchestration = mode;
        return this;
    }

    boolean isFlexible() {
        return orchestration.equals("Flexible");
    }

    /** It has {@code singlePlacementGroup: true}. */
    public EmulatedScaleSet onePlacementGroup() {
        onePlacementGroup = true;
        return this;
    }

    /**
     * Sets how machines get a new model, and a new image.
     *
     * @param mode Manual at first
     * @param images whether a newer image is taken by itself; not at first
     */
    public EmulatedScaleSet upgrades(String mode, boolean images) {
        upgrades = mode;
        upgradesImages = images;
        return this;
    }

    /** It replaces machines that Azure takes for unhealthy. */
    public EmulatedScaleSet repairs() {
        repairs = true;
        return this;
    }

    public EmulatedScaleSet tag(String tag, String value) {
        tags.put(tag, value);
        return this;
    }

    /** Machines to be had from now on, those that are there included. */
    public EmulatedScaleSet stock(int machines) {
        stock = machines;
        return this;
    }

    /** Why machines are not to be had. */
    public EmulatedScaleSet stockOut(ObjectNode error) {
        stockOut = error;
        return this;
    }

    /** Machines that are not to be had show as failed ones; at first they do not show at all. */
    public EmulatedScaleSet showFailed() {
        showsFailed = true;
        return this;
    }

    /** The list of machines lags behind: it leaves out the newest so many. */
    public void unlisted(int newest) {
        unlisted = newest;
    }

    Collection<ScaleSetInstance> listed() {
        return instances.values().stream()
                .limit(Math.max(0, instances.size() - unlisted))
                .toList();
    }

    /** Its instance view does not count machines. */
    public void withoutSummary() {
        summarizes = false;
    }

    /** Its description has no etag. */
    public void withoutEtag() {
        hasEtag = false;
    }

    /** It is described as settled while a change goes on. */
    public void seemSettled() {
        seemsSettled = true;
    }

    /** What becomes of deletions; empty: they succeed. The machines stay then, and count again. */
    public void deletionFailure(Optional<ObjectNode> error) {
        deletionFailure = error;
    }

    /** Happens once, between a client's reading the set and its changing it. */
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

    /** Also what another user of the set does. */
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
        // Azure chooses whom a lower size costs: here, as with its default policy, the newest.
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

    /** What the machine is called in requests. */
    String id(ScaleSetInstance instance) {
        // Azure ends the name of a machine of a flexible set with eight digits that say nothing.
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

    /** As an eviction does. */
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

    /** What the machine is called. */
    String computer(ScaleSetInstance instance) {
        return "%s%06X".formatted(name, instance.id());
    }

    /** When the machine's last change ended. */
    Instant changed(ScaleSetInstance instance) {
        return instance.made().plus(pace.failure());
    }
}
