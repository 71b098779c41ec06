package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.ResourceSkuInner;
import com.azure.resourcemanager.compute.models.ResourceSkuCapabilities;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The machine sizes among Azure's resource SKUs. Pure.
 *
 * @param sizes the sizes by name, regardless of case
 * @param faults why other sizes could not be read, by name, regardless of case
 */
record ResourceSkus(SortedMap<String, MachineSize> sizes, SortedMap<String, String> faults) {

    private static final String MACHINES = "virtualMachines";
    private static final BigDecimal GIBIBYTE = BigDecimal.valueOf(1L << 30);

    /** The kubelet's default limit, and the maximum that Kubernetes recommends. Azure's network plugin may be configured for fewer pods. */
    private static final int MOST_PODS = 110;

    /**
     * The part of a size's name that names its accelerator, as in Standard_NC24ads_A100_v4. Source: Azure VM sizes naming conventions
     * (learn.microsoft.com/azure/virtual-machines/vm-naming-conventions). Older names have no such part, and SKUs name the accelerator
     * nowhere else.
     */
    private static final Pattern ACCELERATOR =
            Pattern.compile("[A-Za-z]+(?:_[A-Za-z0-9-]+)+_([A-Z]{1,5}[0-9]{1,4}[A-Za-z]{0,2})_v[0-9]+");

    /** How the names of AMD's accelerators begin. These accelerators are not {@code nvidia.com/gpu}. */
    private static final List<String> OF_OTHERS = List.of("MI", "V620", "V710");

    /** Sizes with an AMD accelerator that their names do not show. Source: the page of the series NVv4. */
    private static final Pattern NV_V4 = Pattern.compile("(?i)Standard_NV[0-9]+as_v4");

    /** Reads a list. An unreadable size does not affect other sizes. */
    static ResourceSkus of(Collection<ResourceSkuInner> skus) {
        var sizes = new TreeMap<String, MachineSize>(String.CASE_INSENSITIVE_ORDER);
        var faults = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        for (var sku : skus) {
            if (MACHINES.equalsIgnoreCase(sku.resourceType()) && sku.name() != null) {
                try {
                    sizes.put(sku.name(), size(sku));
                } catch (IllegalArgumentException | ArithmeticException e) {
                    faults.put(sku.name(), String.valueOf(e.getMessage()));
                }
            }
        }
        return new ResourceSkus(sizes, faults);
    }

    private static MachineSize size(ResourceSkuInner sku) {
        var told = capabilities(sku);
        var accelerator = accelerator(sku.name());
        boolean ofAnother = NV_V4.matcher(sku.name()).matches()
                || accelerator
                        .filter(word -> OF_OTHERS.stream().anyMatch(word::startsWith))
                        .isPresent();
        int gpus = ofAnother || !told.containsKey("GPUs") ? 0 : whole(told, "GPUs");
        return new MachineSize(
                Cloud.AZURE,
                sku.name(),
                // Some sizes have part of the machine's CPUs switched off.
                whole(told, told.containsKey("vCPUsAvailable") ? "vCPUsAvailable" : "vCPUs"),
                number(told, "MemoryGB").multiply(GIBIBYTE).longValueExact(),
                gpus,
                new GpuKind(accelerator.filter(word -> gpus > 0).map(GpuProduct::of), OptionalLong.empty()),
                MOST_PODS);
    }

    private static Map<String, String> capabilities(ResourceSkuInner sku) {
        var capabilities = new HashMap<String, String>();
        List<ResourceSkuCapabilities> told = sku.capabilities() == null ? List.of() : sku.capabilities();
        told.forEach(capability -> capabilities.put(capability.name(), capability.value()));
        return capabilities;
    }

    private static Optional<String> accelerator(String name) {
        var matcher = ACCELERATOR.matcher(name);
        return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static int whole(Map<String, String> told, String capability) {
        try {
            return number(told, capability).intValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "capability %s is '%s', expected a whole number".formatted(capability, told.get(capability)));
        }
    }

    private static BigDecimal number(Map<String, String> told, String capability) {
        var value = told.get(capability);
        try {
            return new BigDecimal(value == null ? "" : value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("capability %s is '%s', expected a number".formatted(capability, value));
        }
    }
}
