package dev.trainyard.extender.score;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.extender.gpu.GpuDemand;
import dev.trainyard.extender.gpu.GpuRoom;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;
import dev.trainyard.extender.workload.TypicalWorkload.Typical;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rooms and pods in the notation of tables. A pod is {@code cores/GPU}, with its whole demand in thousandths of a GPU: {@code 1/300} has a
 * share, {@code 8/2000} two whole GPUs, {@code 4/0} none. A room lists what is left of each GPU: {@code 300 1000}. Each core comes with one
 * gibibyte of memory.
 */
final class Tables {

    static final long GIBIBYTE = 1L << 30;

    private Tables() {}

    static Room room(String gpus, int cores) {
        return new Room(GpuKind.UNKNOWN, 1000L * cores, cores * GIBIBYTE, gpus(gpus));
    }

    static GpuRoom gpus(String milli) {
        return GpuRoom.left(words(milli).mapToInt(Integer::parseInt).toArray());
    }

    static List<PodClass> pods(String pods) {
        return words(pods).map(Tables::pod).toList();
    }

    static PodClass pod(String pod) {
        int slash = pod.indexOf('/');
        int cores = Integer.parseInt(pod.substring(0, slash));
        int milli = Integer.parseInt(pod.substring(slash + 1));
        return new PodClass(1000L * cores, cores * GIBIBYTE, demand(milli), GpuRequirement.NONE);
    }

    static GpuDemand demand(int milli) {
        return milli > 0 && milli < GpuDemand.WHOLE ? GpuDemand.share(milli) : GpuDemand.whole(milli / GpuDemand.WHOLE);
    }

    /** Returns a workload in which all pods are equally frequent. */
    static TypicalWorkload workload(List<PodClass> pods) {
        return new TypicalWorkload(
                pods.stream().map(pod -> new Typical(pod, 1.0 / pods.size())).toList());
    }

    private static Stream<String> words(String text) {
        return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty());
    }
}
