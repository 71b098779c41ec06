package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.DiskInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.DiskState;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What belongs to a pool of single machines, as listed: machines {@code <prefix><index>}, network interfaces {@code <prefix>nic-<index>}, and
 * OS disks, whose names begin with their machine's. Pure.
 *
 * @param vms of the pool, by index
 * @param nics of the pool
 * @param disks OS disks of the pool
 */
record Fleet(String prefix, List<VirtualMachineInner> vms, List<JsonNode> nics, List<DiskInner> disks) {

    /**
     * The tag by which an interface or a disk is known to have to go with its machine: the machine's name, and when its removal was ordered.
     * Tags' names may not hold a slash.
     */
    static final String REMOVING = "trainyard-removing";
    /** A machine that is there so long after it was to go was not removed. Longer than Azure's lists lag behind. */
    static final Duration REMOVED_BY_THEN = Duration.ofMinutes(15);
    /** The tag of what was made here, with the pool's name. */
    static final String MADE_FOR = "trainyard-pool";

    private static final String NIC = "nic-";

    /**
     * A mark that an interface or a disk is to go with its machine.
     *
     * @param part the id of the interface or disk
     * @param value of the tag {@link #REMOVING}
     */
    record Mark(String part, String value) {

        static Mark of(String part, String vm, Instant now) {
            return new Mark(part, vm + " " + now.truncatedTo(ChronoUnit.SECONDS));
        }

        /** One that does not say when it was made counts as old. */
        boolean isOld(Instant now) {
            try {
                var made = Instant.parse(value.substring(value.lastIndexOf(' ') + 1));
                return !now.isBefore(made.plus(REMOVED_BY_THEN));
            } catch (DateTimeParseException e) {
                return true;
            }
        }
    }

    Fleet {
        vms = List.copyOf(vms);
        nics = List.copyOf(nics);
        disks = List.copyOf(disks);
    }

    /** Picks the pool's own out of a whole resource group. */
    static Fleet of(String prefix, List<VirtualMachineInner> vms, List<JsonNode> nics, List<DiskInner> disks) {
        return new Fleet(
                prefix,
                vms.stream()
                        .filter(vm -> index(prefix, "", vm.name()).isPresent())
                        .sorted(Comparator.comparing(
                                vm -> index(prefix, "", vm.name()).orElse(0)))
                        .toList(),
                nics.stream()
                        .filter(nic ->
                                index(prefix, NIC, nic.path("name").asText()).isPresent())
                        .toList(),
                disks.stream()
                        .filter(disk -> diskIndex(prefix, disk.name()).isPresent())
                        .toList());
    }

    static String vm(String prefix, int index) {
        return prefix + index;
    }

    static String nic(String prefix, int index) {
        return prefix + NIC + index;
    }

    static String disk(String prefix, int index) {
        return vm(prefix, index) + "-osdisk";
    }

    /** The lowest indexes of which nothing is left: no machine, no interface, no disk. */
    List<Integer> free(int count) {
        var taken = new HashSet<Integer>();
        vms.forEach(vm -> index(prefix, "", vm.name()).ifPresent(taken::add));
        nics.forEach(nic -> index(prefix, NIC, nic.path("name").asText()).ifPresent(taken::add));
        disks.forEach(disk -> diskIndex(prefix, disk.name()).ifPresent(taken::add));
        var free = new ArrayList<Integer>();
        for (int index = 0; free.size() < count; index++) {
            if (!taken.contains(index)) {
                free.add(index);
            }
        }
        return free;
    }

    /** Interfaces that no machine has any more, and that are to go: those marked, and of those made here the ones given. */
    List<String> leftNics(Collection<String> abandoned) {
        return nics.stream()
                .filter(this::isLoose)
                .filter(nic -> nic.path("tags").has(REMOVING)
                        || abandoned.contains(nic.path("name").asText()))
                .map(nic -> nic.path("id").asText())
                .toList();
    }

    /** Interfaces made here that no machine has: of an order that was cut short, or of one that somebody is carrying out. */
    Set<String> looseNicsMadeHere() {
        var loose = new HashSet<String>();
        nics.stream()
                .filter(this::isLoose)
                .filter(nic -> nic.path("tags").has(MADE_FOR))
                .forEach(nic -> loose.add(nic.path("name").asText()));
        return loose;
    }

    /**
     * Names of machines that are not listed and have an interface made here: Azure's list of machines may lag behind. Those that are to go are not
     * meant.
     */
    List<String> hinted() {
        return nics.stream()
                .filter(nic ->
                        nic.path("tags").has(MADE_FOR) && !nic.path("tags").has(REMOVING))
                .flatMap(nic -> index(prefix, NIC, nic.path("name").asText()).stream())
                .filter(index -> !hasVm(index))
                .map(index -> vm(prefix, index))
                .toList();
    }

    /** Marked disks that no machine has any more; after its interface, so that what is left tells how far a removal came. */
    List<DiskInner> leftDisks() {
        return disks.stream()
                .filter(disk -> disk.tags() != null && disk.tags().containsKey(REMOVING))
                .filter(disk -> disk.managedBy() == null && DiskState.UNATTACHED.equals(disk.diskState()))
                .filter(disk -> diskIndex(prefix, disk.name())
                        .filter(index -> !hasVm(index) && !hasMarkedNic(index))
                        .isPresent())
                .toList();
    }

    /**
     * Marks of machines that are there long after they were to go: Azure refused, or the order was never given. Whoever removes such a machine
     * later may want to keep its disk.
     *
     * @param leaving which of the machines are on their way out
     */
    List<Mark> staleMarks(Predicate<VirtualMachineInner> leaving, Instant now) {
        var staying = new HashSet<Integer>();
        vms.stream()
                .filter(leaving.negate())
                .forEach(vm -> index(prefix, "", vm.name()).ifPresent(staying::add));
        var marks = new ArrayList<Mark>();
        nics.stream()
                .filter(nic -> nic.path("tags").has(REMOVING))
                .filter(nic -> index(prefix, NIC, nic.path("name").asText())
                        .filter(staying::contains)
                        .isPresent())
                .forEach(nic -> marks.add(new Mark(
                        nic.path("id").asText(), nic.path("tags").path(REMOVING).asText())));
        disks.stream()
                .filter(disk -> disk.tags() != null && disk.tags().containsKey(REMOVING))
                .filter(disk ->
                        diskIndex(prefix, disk.name()).filter(staying::contains).isPresent())
                .forEach(disk ->
                        marks.add(new Mark(disk.id(), String.valueOf(disk.tags().get(REMOVING)))));
        return marks.stream().filter(mark -> mark.isOld(now)).toList();
    }

    /** Whether something is on its way out, or has to be brought on its way. */
    boolean isClearing() {
        return vms.stream().anyMatch(vm -> "Deleting".equalsIgnoreCase(vm.provisioningState()))
                || nics.stream()
                        .filter(nic -> nic.path("tags").has(REMOVING))
                        .anyMatch(nic -> index(prefix, NIC, nic.path("name").asText())
                                .filter(index -> !hasVm(index))
                                .isPresent())
                || disks.stream()
                        .filter(disk -> disk.tags() != null && disk.tags().containsKey(REMOVING))
                        .anyMatch(disk -> diskIndex(prefix, disk.name())
                                .filter(index -> !hasVm(index))
                                .isPresent());
    }

    private boolean isLoose(JsonNode nic) {
        return nic.path("properties")
                        .path("virtualMachine")
                        .path("id")
                        .asText("")
                        .isEmpty()
                && index(prefix, NIC, nic.path("name").asText())
                        .filter(index -> !hasVm(index))
                        .isPresent();
    }

    private boolean hasVm(int index) {
        return vms.stream().anyMatch(vm -> index(prefix, "", vm.name()).equals(Optional.of(index)));
    }

    private boolean hasMarkedNic(int index) {
        return nics.stream()
                .filter(nic -> nic.path("tags").has(REMOVING))
                .anyMatch(nic -> index(prefix, NIC, nic.path("name").asText()).equals(Optional.of(index)));
    }

    private static Optional<Integer> index(String prefix, String infix, @Nullable String name) {
        return match(Pattern.quote((prefix + infix).toLowerCase(Locale.ROOT)) + "([0-9]{1,6})", name);
    }

    /** As named here, by Azure, and by the oldest clusters. */
    private static Optional<Integer> diskIndex(String prefix, @Nullable String name) {
        return match(
                Pattern.quote(prefix.toLowerCase(Locale.ROOT)) + "([0-9]{1,6})(?:-osdisk|_osdisk_.*|_disk1_.*)", name);
    }

    private static Optional<Integer> match(String pattern, @Nullable String name) {
        if (name == null) {
            return Optional.empty();
        }
        var parts = Pattern.compile(pattern).matcher(name.toLowerCase(Locale.ROOT));
        return parts.matches() ? Optional.of(Integer.valueOf(parts.group(1))) : Optional.empty();
    }
}
