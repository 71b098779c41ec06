package dev.trainyard.bench.scheduler;

/** How often a scheduler may call the API server: {@code clientConnection} in its configuration. */
public record ApiRate(int qps, int burst) {

    /** So much that it holds nothing back: what is measured is the work. */
    static final ApiRate UNLIMITED = new ApiRate(5000, 5000);

    /** kube-scheduler's defaults, {@code SetDefaults_KubeSchedulerConfiguration} in 1.36. */
    static final ApiRate USUAL = new ApiRate(50, 100);
}
