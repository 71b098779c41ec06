package dev.trainyard.bench.scoring.trace;

import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.simulation.workload.TraceRequest;
import dev.trainyard.simulation.workload.TraceTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * A reader of the two CSV files of an openb trace (a format of Alibaba's GPU clusters). Node columns are
 * {@code sn,cpu_milli,memory_mib,gpu,model}. Pod columns are {@code name,cpu_milli,memory_mib,num_gpu,gpu_milli}, and optionally
 * {@code gpu_spec}: accepted models, separated by bars. Other columns are ignored.
 */
public final class TraceReader {

    private static final long MOST_CPU_MILLI = 1_000_000_000;
    private static final long MOST_MEMORY_MIB = 1L << 40;
    private static final int MOST_GPUS = 1024;

    private TraceReader() {}

    /**
     * Reads a trace from a file of nodes and a file of pods.
     *
     * @throws ResourceFileException if a file is invalid; the message names the file, and for an invalid value also line, field, value and
     *     expected value
     */
    public static Trace read(Path nodes, Path pods) {
        var trace = new Trace(nameOf(pods), nodes(nodes), pods(pods));
        if (trace.capacityMilli() == 0) {
            throw new ResourceFileException(
                    nodes + ": no node has a GPU (column gpu); expected a trace of a GPU cluster");
        }
        return trace;
    }

    private static List<TraceNode> nodes(Path file) {
        var nodes = new ArrayList<TraceNode>();
        var names = new HashSet<String>();
        TraceTable.each(
                file,
                row -> {
                    var name = row.text("sn");
                    if (!names.add(name)) {
                        throw row.wrong("sn", name, "expected a name that no other node has");
                    }
                    int gpus = (int) row.number("gpu", 0, MOST_GPUS);
                    nodes.add(new TraceNode(
                            name,
                            row.number("cpu_milli", 0, MOST_CPU_MILLI),
                            row.number("memory_mib", 0, MOST_MEMORY_MIB),
                            gpus,
                            gpus == 0 ? "" : row.text("model")));
                },
                "sn",
                "cpu_milli",
                "memory_mib",
                "gpu",
                "model");
        if (nodes.isEmpty()) {
            throw new ResourceFileException(file + ": has a header only; expected nodes");
        }
        return nodes;
    }

    private static List<TracePod> pods(Path file) {
        var pods = new ArrayList<TracePod>();
        TraceTable.each(
                file,
                row -> pods.add(new TracePod(row.text("name"), shape(TraceRequest.of(row)))),
                "name",
                "cpu_milli",
                "memory_mib",
                "num_gpu",
                "gpu_milli");
        if (pods.isEmpty()) {
            throw new ResourceFileException(file + ": has a header only; expected pods");
        }
        return pods;
    }

    private static TraceShape shape(TraceRequest request) {
        return new TraceShape(
                request.cpuMilli(), request.memoryMib(), request.gpus(), request.gpuMilli(), request.models());
    }

    private static String nameOf(Path file) {
        var name = String.valueOf(file.getFileName());
        return name.endsWith(".csv") ? name.substring(0, name.length() - ".csv".length()) : name;
    }
}
