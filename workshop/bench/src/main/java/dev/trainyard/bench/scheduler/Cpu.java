package dev.trainyard.bench.scheduler;

/**
 * CPU time for one pod, in microseconds, of everything that shares the machine.
 *
 * @param apiServer with etcd
 * @param others controller manager, kwok and this program
 */
public record Cpu(double scheduler, double extender, double apiServer, double others) {

    /** All of it. */
    double total() {
        return scheduler + extender + apiServer + others;
    }
}
