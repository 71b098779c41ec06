package dev.trainyard.core.machine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Sizes from a table of comma-separated values, {@code sizes.csv}. Immutable. */
final class SizeTable implements MachineSizes {

    private static final String HEADER = "cloud,name,cpus,memoryGiB,gpus,gpuProduct,gpuMemoryGiB,pods";
    private static final int COLUMNS = HEADER.split(",").length;
    private static final BigDecimal GIBIBYTE = BigDecimal.valueOf(1L << 30);

    /** The kubelet's default limit of pods on a node, which is also the maximum that Kubernetes recommends. */
    private static final int MOST_PODS = 110;

    static final SizeTable BUILT_IN = read("sizes.csv");

    private final Map<String, MachineSize> sizes;

    /** @throws IllegalArgumentException if a line is invalid; the message contains the line */
    static SizeTable parse(List<String> lines) {
        var sizes = new TreeMap<String, MachineSize>(String.CASE_INSENSITIVE_ORDER);
        lines.stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#") && !line.equals(HEADER))
                .forEach(line -> {
                    var size = size(line);
                    if (sizes.put(size.name(), size) != null) {
                        throw new IllegalArgumentException("%s: this name occurs twice".formatted(line));
                    }
                });
        return new SizeTable(sizes);
    }

    private SizeTable(Map<String, MachineSize> sizes) {
        this.sizes = sizes;
    }

    @Override
    public Optional<MachineSize> find(String name) {
        return Optional.ofNullable(sizes.get(name));
    }

    @Override
    public Collection<String> names() {
        return sizes.values().stream().map(MachineSize::name).toList();
    }

    private static SizeTable read(String resource) {
        try (InputStream table = SizeTable.class.getResourceAsStream(resource)) {
            if (table == null) {
                throw new IllegalStateException(resource + " is missing from the jar");
            }
            return parse(new String(table.readAllBytes(), UTF_8).lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MachineSize size(String line) {
        var columns = line.split(",", -1);
        if (columns.length != COLUMNS) {
            throw new IllegalArgumentException(
                    "%s: %d columns, expected the columns %s".formatted(line, columns.length, HEADER));
        }
        try {
            return new MachineSize(
                    Cloud.valueOf(columns[0].toUpperCase(Locale.ROOT)),
                    columns[1],
                    Integer.parseInt(columns[2]),
                    gibibytes(columns[3]),
                    Integer.parseInt(columns[4]),
                    columns[5].isEmpty()
                            ? GpuKind.UNKNOWN
                            : new GpuKind(
                                    Optional.of(GpuProduct.of(columns[5])), OptionalLong.of(gibibytes(columns[6]))),
                    columns[7].isEmpty() ? MOST_PODS : Integer.parseInt(columns[7]));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(line + ": " + e.getMessage());
        }
    }

    private static long gibibytes(String number) {
        return new BigDecimal(number).multiply(GIBIBYTE).longValueExact();
    }
}
