package dev.trainyard.bench.scheduler;

/**
 * CPU time per pod, in microseconds, of all processes that share the machine.
 *
 * @param apiServer API server and etcd
 * @param others controller manager, kwok and this program
 */
public record Cpu(double scheduler, double extender, double apiServer, double others) {

    /** Returns the CPU time of all processes together. */
    double total() {
        return scheduler + extender + apiServer + others;
    }
}
