package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a workload from a trace of the openb family: {@code name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time}, with
 * times in seconds, and perhaps {@code gpu_spec}. Each row becomes a Job of one pod, which runs as long as the pod of the trace was there.
 */
public final class TraceWorkload {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NAMESPACE = "training";
    private static final int WHOLE = 1000;
    private static final long MOST = 1L << 40;
    private static final int MOST_GPUS = 1024;

    /** What a pod takes that shares a GPU in the trace. */
    public enum Sharing {
        /** One GPU: nothing shares. */
        WHOLE,
        /** A part of one, as an annotation says: for worlds in which something lets pods share GPUs. */
        PART
    }

    private TraceWorkload() {}

    /**
     * @param from what of the trace comes before is left out; the simulation starts then
     * @param length what comes later is left out as well; empty: nothing is
     * @throws dev.trainyard.runtime.configuration.ResourceFileException that names file, line, field, value and what was expected
     */
    public static Workload read(Path file, Duration from, Optional<Duration> length, Sharing sharing) {
        var tasks = new ArrayList<Task>();
        var table = new TraceTable(
                file, "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "creation_time", "deletion_time");
        for (var row : table.rows()) {
            long created = row.number("creation_time", 0, MOST);
            long deleted = row.number("deletion_time", 0, MOST);
            if (deleted < created) {
                throw row.wrong(
                        "deletion_time",
                        Long.toString(deleted),
                        "expected a time not before creation_time, which is " + created);
            }
            var arrives = Duration.ofSeconds(created).minus(from);
            boolean counts = !arrives.isNegative()
                    && length.map(until -> arrives.compareTo(until) < 0).orElse(true);
            var template = template(row, sharing); // also of those that are left out: a mistake is one
            if (counts) {
                tasks.add(new Task(
                        "Job",
                        NAMESPACE,
                        row.text("name"),
                        template,
                        1,
                        1,
                        arrives,
                        Optional.of(Duration.ofSeconds(deleted - created))));
            }
        }
        return new Workload(tasks);
    }

    private static ObjectNode template(TraceTable.Row row, Sharing sharing) {
        long cpu = row.number("cpu_milli", 0, MOST);
        long memory = row.number("memory_mib", 0, MOST);
        long gpus = row.number("num_gpu", 0, MOST_GPUS);
        long milli = gpus == 0 ? 0 : row.number("gpu_milli", 1, WHOLE);
        var pod = JSON.createObjectNode();
        var metadata = pod.withObject("/metadata");
        var container = pod.withArray("/spec/containers").addObject();
        container.put("name", "main").put("image", "registry.example/training:1");
        var requests = container.withObject("/resources/requests");
        requests.put(ResourceNames.CPU, cpu + "m").put(ResourceNames.MEMORY, memory + "Mi");
        if (gpus > 0) {
            container.withObject("/resources/limits").put(ResourceNames.GPU, Long.toString(gpus));
        }
        if (gpus == 1 && milli < WHOLE && sharing == Sharing.PART) {
            metadata.withObject("/annotations").put(Names.GPU_MILLI, Long.toString(milli));
        }
        var kinds = models(row.optional("gpu_spec"));
        if (gpus > 0 && !kinds.isEmpty()) {
            metadata.withObject("/annotations").put(Names.GPU_PRODUCT, String.join("|", kinds));
        }
        return pod;
    }

    private static List<String> models(String spec) {
        var models = new ArrayList<String>();
        for (var model : spec.split("\\|")) {
            if (!model.isBlank()) {
                models.add(model.strip());
            }
        }
        return models;
    }
}
