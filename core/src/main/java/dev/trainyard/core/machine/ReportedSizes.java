package dev.trainyard.core.machine;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.MachineStatus;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Machine sizes that the scaler read from cloud APIs. The scaler stores a size in the status of each pool that names the size. The webhook
 * and the extender never call a cloud; they read the sizes from the statuses. The built-in table has precedence. Immutable.
 */
public final class ReportedSizes implements MachineSizes {

    private static final long MEBIBYTE = 1L << 20;

    private final Map<String, MachineSize> told = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private ReportedSizes() {}

    /**
     * Returns the built-in machine sizes and the given sizes.
     *
     * @param sizes sizes that cloud APIs returned
     */
    public static MachineSizes of(Collection<MachineSize> sizes) {
        var all = new ReportedSizes();
        sizes.forEach(size -> all.told.putIfAbsent(size.name(), size));
        return all;
    }

    /** Reads the size of a pool's machines from the pool's status; empty if the status has no size, or if the size is invalid. */
    public static Optional<MachineSize> read(TrainingPoolSpec spec, @Nullable TrainingPoolStatus status) {
        var machine = status == null ? null : status.machine();
        if (machine == null || machine.instanceType() == null || spec.provider() == null) {
            return Optional.empty();
        }
        try {
            return Cloud.of(spec.provider())
                    .map(cloud -> new MachineSize(
                            cloud,
                            machine.instanceType(),
                            machine.cpus(),
                            Math.multiplyExact(machine.memoryMiB(), MEBIBYTE),
                            machine.gpus(),
                            gpu(machine),
                            machine.pods()));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private static GpuKind gpu(MachineStatus machine) {
        return new GpuKind(
                Optional.ofNullable(machine.gpuProduct()).map(GpuProduct::of),
                machine.gpuMemoryMiB() == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.multiplyExact(machine.gpuMemoryMiB(), MEBIBYTE)));
    }

    /** Converts a size to its form in the status of a pool. */
    public static MachineStatus write(MachineSize size) {
        var memory = size.gpu().memory();
        return new MachineStatus(
                size.name(),
                size.cpus(),
                size.memory() / MEBIBYTE,
                size.gpus(),
                size.gpu().product().map(GpuProduct::name).orElse(null),
                memory.isPresent() ? Long.valueOf(memory.getAsLong() / MEBIBYTE) : null,
                size.pods());
    }

    @Override
    public Optional<MachineSize> find(String name) {
        return MachineSizes.builtIn().find(name).or(() -> Optional.ofNullable(told.get(name)));
    }

    @Override
    public Collection<String> names() {
        var names = new LinkedHashSet<>(MachineSizes.builtIn().names());
        told.values().forEach(size -> names.add(size.name()));
        return names;
    }
}
