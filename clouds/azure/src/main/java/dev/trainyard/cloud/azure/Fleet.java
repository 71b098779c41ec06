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
 * The listed resources of a pool of single machines: machines {@code <prefix><index>}, network interfaces {@code <prefix>nic-<index>}, and
 * OS disks. A disk's name begins with the name of its machine. Pure.
 *
 * @param vms the pool's machines, sorted by index
 * @param nics the pool's network interfaces
 * @param disks the pool's OS disks
 */
record Fleet(String prefix, List<VirtualMachineInner> vms, List<JsonNode> nics, List<DiskInner> disks) {

    /**
     * The tag of an interface or disk that must be removed with its machine. Its value is the machine's name and the time of the request.
     * The tag's name has no slash, because Azure allows none in names of tags.
     */
    static final String REMOVING = "trainyard-removing";
    /** The age from which a {@link Mark} is old: at this age, its machine should be gone, even from Azure's delayed lists. */
    static final Duration REMOVED_BY_THEN = Duration.ofMinutes(15);
    /** The tag of resources that Trainyard made. The value of the tag is the pool's name. */
    static final String MADE_FOR = "trainyard-pool";

    private static final String NIC = "nic-";

    /**
     * A mark that an interface or a disk must be removed with its machine.
     *
     * @param part the id of the interface or disk
     * @param value the value of tag {@link #REMOVING}
     */
    record Mark(String part, String value) {

        static Mark of(String part, String vm, Instant now) {
            return new Mark(part, vm + " " + now.truncatedTo(ChronoUnit.SECONDS));
        }

        /** Whether the mark is old. A mark without a valid time counts as old. */
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

    /** Selects the pool's resources from a whole resource group. */
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

    /** Returns the lowest indexes without a machine, an interface or a disk. */
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

    /**
     * Returns the ids of the interfaces that have no machine and must be removed: the marked ones, and those in {@code abandoned}.
     *
     * @param abandoned names of interfaces
     */
    List<String> leftNics(Collection<String> abandoned) {
        return nics.stream()
                .filter(this::isLoose)
                .filter(nic -> nic.path("tags").has(REMOVING)
                        || abandoned.contains(nic.path("name").asText()))
                .map(nic -> nic.path("id").asText())
                .toList();
    }

    /** Returns the names of interfaces that Trainyard made and that have no machine. The request for the machine failed or is in progress. */
    Set<String> looseNicsMadeHere() {
        var loose = new HashSet<String>();
        nics.stream()
                .filter(this::isLoose)
                .filter(nic -> nic.path("tags").has(MADE_FOR))
                .forEach(nic -> loose.add(nic.path("name").asText()));
        return loose;
    }

    /**
     * Returns the names of machines that are not listed, but have an interface made by Trainyard. Azure's list of machines may lag behind.
     * Machines that are being removed are left out.
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

    /**
     * Returns marked disks without a machine. A disk is left out while the interface of the same machine is still marked. The interface is
     * removed first, so that the remaining parts show the progress of a removal.
     */
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
     * Returns the old marks of machines that still exist. Azure refused the removal of such a machine, or the removal was never requested.
     * Such marks must be removed, because a user who later deletes the machine may want to keep its disk.
     *
     * @param leaving whether a machine is being removed
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

    /** Whether a machine, interface or disk is being removed, or must be removed. */
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

    /** Returns the index in the name of a disk. Trainyard, Azure and the oldest clusters form these names differently. */
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
