package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A reader of workloads from openb traces, a CSV format of Alibaba's GPU clusters:
 * {@code name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time}, with times in seconds, and optionally {@code gpu_spec}.
 * Each row becomes a Job of one pod that runs as long as the pod in the trace existed.
 */
public final class TraceWorkload {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NAMESPACE = "training";
    private static final long LATEST = 1L << 40;
    /** The limit of a pod's run time, longer than any simulation. */
    private static final Duration LONGEST = Duration.ofDays(366);

    /** How pods that share a GPU in the trace are simulated. */
    public enum Sharing {
        /** The pod gets a whole GPU. */
        WHOLE,
        /**
         * The pod gets the part of a GPU that {@code gpu_milli} states. The pod requests this part with annotation {@link Names#GPU_MILLI}.
         * Needs a cluster that lets pods share GPUs.
         */
        PART
    }

    private TraceWorkload() {}

    /**
     * Reads a workload from a trace.
     *
     * @param from the time in the trace at which the simulation starts; rows with an earlier {@code creation_time} are left out
     * @param length the length of the simulation; rows that arrive after its end are left out; empty if the length is not limited
     * @throws dev.trainyard.runtime.configuration.ResourceFileException if a value is invalid; the message names file, line, field, value
     *     and expectation
     */
    public static Workload read(Path file, Duration from, Optional<Duration> length, Sharing sharing) {
        var tasks = new ArrayList<Task>();
        var templates = new HashMap<TraceRequest, Supplier<ObjectNode>>();
        TraceTable.each(
                file,
                row -> {
                    // Rows that are left out are checked, too.
                    var request = TraceRequest.of(row);
                    var task =
                            task(row, from, templates.computeIfAbsent(request, pods -> () -> template(pods, sharing)));
                    boolean counts = !task.arrives().isNegative()
                            && length.map(until -> task.arrives().compareTo(until) < 0)
                                    .orElse(true);
                    if (counts) {
                        tasks.add(task);
                    }
                },
                "name",
                "cpu_milli",
                "memory_mib",
                "num_gpu",
                "gpu_milli",
                "creation_time",
                "deletion_time");
        return new Workload(tasks);
    }

    private static Task task(TraceTable.Row row, Duration from, Supplier<ObjectNode> template) {
        long created = row.number("creation_time", 0, LATEST);
        long deleted = row.number("deletion_time", 0, LATEST);
        if (deleted < created) {
            throw row.wrong(
                    "deletion_time",
                    Long.toString(deleted),
                    "expected a time not before creation_time, which is " + created);
        }
        var runs = Duration.ofSeconds(deleted - created);
        return new Task(
                "Job",
                NAMESPACE,
                row.text("name"),
                template,
                1,
                1,
                Duration.ofSeconds(created).minus(from),
                Optional.of(runs.compareTo(LONGEST) < 0 ? runs : LONGEST));
    }

    private static ObjectNode template(TraceRequest request, Sharing sharing) {
        var pod = JSON.createObjectNode();
        var metadata = pod.withObject("/metadata");
        var container = pod.withArray("/spec/containers").addObject();
        container.put("name", "main").put("image", "registry.example/training:1");
        var requests = container.withObject("/resources/requests");
        requests.put(ResourceNames.CPU, request.cpuMilli() + "m").put(ResourceNames.MEMORY, request.memoryMib() + "Mi");
        if (request.gpus() > 0) {
            container.withObject("/resources/limits").put(ResourceNames.GPU, Integer.toString(request.gpus()));
        }
        if (request.gpus() > 0 && request.gpuMilli() < TraceRequest.WHOLE && sharing == Sharing.PART) {
            metadata.withObject("/annotations").put(Names.GPU_MILLI, Integer.toString(request.gpuMilli()));
        }
        if (!request.models().isEmpty()) {
            metadata.withObject("/annotations").put(Names.GPU_PRODUCT, String.join("|", request.models()));
        }
        return pod;
    }
}
