package dev.trainyard.bench.scheduler;

/** The rate limit of a scheduler's calls to the API server: {@code clientConnection} in its configuration. */
public record ApiRate(int qps, int burst) {

    /** A rate that is too high to limit the scheduler, so that the scheduler's own work is measured. */
    static final ApiRate UNLIMITED = new ApiRate(5000, 5000);

    /** kube-scheduler's defaults, from {@code SetDefaults_KubeSchedulerConfiguration} in 1.36. */
    static final ApiRate USUAL = new ApiRate(50, 100);
}
