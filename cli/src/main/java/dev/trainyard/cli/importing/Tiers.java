package dev.trainyard.cli.importing;

import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.api.TrainingTierSpec.DriverSpec;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.core.machine.MachineSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A builder of tiers: one for each machine size, so that pods fall back only between machines that are alike. A tier lists its spot pools
 * before its on-demand pools. A GPU tier is the default for pods that request more GPUs than the next smaller machines have, and at most
 * as many as its own machines have.
 */
final class Tiers {

    /** The most pools of a tier. */
    private static final int MOST_POOLS = 16;

    private Tiers() {}

    /** @param pools the pools by name, in the order of the file */
    static Map<String, TrainingTierSpec> of(Map<String, PoolDraft> pools, DriverMode driver, ImportRemarks remarks) {
        var bySize = new TreeMap<MachineSize, List<String>>(
                Comparator.comparingInt(MachineSize::gpus).thenComparing(MachineSize::name));
        pools.forEach((name, draft) -> draft.machine()
                .ifPresent(size ->
                        bySize.computeIfAbsent(size, any -> new ArrayList<>()).add(name)));
        bySize.values()
                .forEach(names -> names.sort(
                        Comparator.comparing(name -> !draft(pools, name).isSpot())));
        var counts = bySize.keySet().stream()
                .map(MachineSize::gpus)
                .filter(gpus -> gpus > 0)
                .collect(Collectors.toCollection(TreeSet::new));
        var tiers = new TreeMap<String, TrainingTierSpec>();
        var taken = new HashSet<String>();
        bySize.forEach((size, names) -> tiers.put(
                ObjectNames.unique(title(size), taken),
                TrainingTierSpec.builder(atMost(size, names, remarks))
                        .defaultFor(size.gpus() == 0 ? null : defaultFor(size.gpus(), counts.lower(size.gpus())))
                        .driver(
                                size.gpus() == 0 || driver == DriverMode.NONE
                                        ? null
                                        : new DriverSpec(driver, null, null, null))
                        .build()));
        remarkOnRivals(tiers, remarks);
        remarkOnDriver(tiers, driver, remarks);
        return tiers;
    }

    private static PoolDraft draft(Map<String, PoolDraft> pools, String name) {
        return Optional.ofNullable(pools.get(name)).orElseThrow();
    }

    private static String title(MachineSize size) {
        return (size.gpus() > 0 ? "gpu-" : "cpu-") + size.name().replaceFirst("(?i)^standard_", "");
    }

    private static List<String> atMost(MachineSize size, List<String> names, ImportRemarks remarks) {
        if (names.size() <= MOST_POOLS) {
            return names;
        }
        remarks.add(
                "tier of " + size.name(),
                String.join(", ", names.subList(MOST_POOLS, names.size())),
                "left out: the tier may have at most %d pools; create another tier for these pools"
                        .formatted(MOST_POOLS));
        return names.subList(0, MOST_POOLS);
    }

    private static DefaultFor defaultFor(int gpus, @Nullable Integer ofTheNextSmaller) {
        return new DefaultFor(new GpuRange(ofTheNextSmaller == null ? 1 : ofTheNextSmaller + 1, gpus));
    }

    /**
     * Adds a remark if several tiers are the default for the same numbers of GPUs. Pods that ask for a GPU product get the tier with this
     * product; other pods get the first tier by name.
     */
    private static void remarkOnRivals(Map<String, TrainingTierSpec> tiers, ImportRemarks remarks) {
        var byRange = tiers.entrySet().stream()
                .filter(tier -> tier.getValue().defaultFor() != null)
                .collect(Collectors.groupingBy(
                        tier -> String.valueOf(tier.getValue().defaultFor()),
                        TreeMap::new,
                        Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
        byRange.values().stream()
                .filter(names -> names.size() > 1)
                .forEach(names -> remarks.add(
                        "tiers " + String.join(", ", names),
                        "",
                        "the tiers have equally many GPUs: pods that name no GPU product get %s; to change this, remove spec.default from that tier"
                                .formatted(names.get(0))));
    }

    private static void remarkOnDriver(Map<String, TrainingTierSpec> tiers, DriverMode driver, ImportRemarks remarks) {
        var names = tiers.entrySet().stream()
                .filter(tier -> tier.getValue().driver() != null)
                .map(Map.Entry::getKey)
                .toList();
        if (driver == DriverMode.HOST_PATH && !names.isEmpty()) {
            remarks.add(
                    "tiers " + String.join(", ", names),
                    "",
                    "the driver is taken from /usr/lib/nvidia-384 of the machine, as acs-engine installed it: set spec.driver.version"
                            + " as `ls /usr/lib` shows there, or remove spec.driver if a device plugin provides the driver");
        }
    }
}
