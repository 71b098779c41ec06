package dev.trainyard.simulation.workload;

import java.util.List;
import java.util.stream.Stream;

/**
 * The resources that one row of an openb trace (a CSV format of Alibaba's GPU clusters) requests:
 * {@code cpu_milli,memory_mib,num_gpu,gpu_milli}, and optionally {@code gpu_spec}.
 *
 * @param gpus number of GPUs; 0 for a pod without GPUs
 * @param gpuMilli thousandths of each GPU, {@value #WHOLE} for whole GPUs; 0 if {@code gpus} is 0
 * @param models accepted GPU models; empty if any model is accepted
 */
public record TraceRequest(long cpuMilli, long memoryMib, int gpus, int gpuMilli, List<String> models) {

    /** The thousandths of a whole GPU. */
    public static final int WHOLE = 1000;

    private static final long MOST_CPU_MILLI = 1_000_000_000;
    private static final long MOST_MEMORY_MIB = 1L << 40;
    private static final int MOST_GPUS = 1024;

    public TraceRequest {
        models = List.copyOf(models);
    }

    /**
     * Reads a request from a row of a trace.
     *
     * @throws dev.trainyard.runtime.configuration.ResourceFileException if a value is invalid; the message names file, line, field, value
     *     and expectation
     */
    public static TraceRequest of(TraceTable.Row row) {
        long cpu = row.number("cpu_milli", 0, MOST_CPU_MILLI);
        long memory = row.number("memory_mib", 0, MOST_MEMORY_MIB);
        int gpus = (int) row.number("num_gpu", 0, MOST_GPUS);
        if (gpus == 0) {
            return new TraceRequest(cpu, memory, 0, 0, List.of());
        }
        int milli = (int) row.number("gpu_milli", 1, WHOLE);
        if (gpus > 1 && milli != WHOLE) {
            throw row.wrong(
                    "gpu_milli",
                    Integer.toString(milli),
                    "expected %d, since num_gpu is %d and only one GPU can be shared".formatted(WHOLE, gpus));
        }
        return new TraceRequest(cpu, memory, gpus, milli, models(row.optional("gpu_spec")));
    }

    private static List<String> models(String spec) {
        return Stream.of(spec.split("\\|"))
                .map(String::strip)
                .filter(model -> !model.isEmpty())
                .toList();
    }
}
