package dev.trainyard.bench.scheduler;

import dev.trainyard.local.ControlPlane;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * CPU time that processes have used so far.
 *
 * @param apiServer API server and etcd
 * @param others controller manager, kwok and this program
 */
record CpuClock(Duration scheduler, Duration extender, Duration apiServer, Duration others) {

    private static final double MICRO = 1e-3;

    /** @param scheduler name of the scheduler's process; null if it is not running yet */
    static CpuClock read(ControlPlane controlPlane, @Nullable String scheduler, @Nullable ExtenderProcess extender) {
        return new CpuClock(
                scheduler == null ? Duration.ZERO : of(controlPlane, scheduler),
                extender == null ? Duration.ZERO : extender.cpu(),
                of(controlPlane, ControlPlane.API_SERVER).plus(of(controlPlane, ControlPlane.ETCD)),
                of(controlPlane, ControlPlane.CONTROLLER_MANAGER)
                        .plus(of(controlPlane, ControlPlane.KWOK))
                        .plus(of(Optional.of(ProcessHandle.current()))));
    }

    Cpu forEachOf(int pods, CpuClock before) {
        return new Cpu(
                micros(scheduler, before.scheduler) / pods,
                micros(extender, before.extender) / pods,
                micros(apiServer, before.apiServer) / pods,
                micros(others, before.others) / pods);
    }

    private static double micros(Duration now, Duration before) {
        return now.minus(before).toNanos() * MICRO;
    }

    private static Duration of(ControlPlane controlPlane, String process) {
        return of(ProcessHandle.of(controlPlane.process(process).pid()));
    }

    private static Duration of(Optional<ProcessHandle> process) {
        return process.flatMap(handle -> handle.info().totalCpuDuration()).orElse(Duration.ZERO);
    }
}
