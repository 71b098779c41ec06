package dev.trainyard.core.machine;

/**
 * The resources of a machine that its node reserves and does not give to pods. The formulas are those that the clouds publish for their
 * managed clusters. Self-managed clusters mostly reserve less; for these clusters, the formulas overestimate the reservation. The values
 * apply to a pool until the scaler has seen a live node of the pool.
 *
 * <ul>
 *   <li>The machine itself: a node reports less memory than the size has. This class subtracts 7.5 %, which is Karpenter's default on both
 *       clouds.
 *   <li>AKS 1.29 and later (learn.microsoft.com/azure/aks/node-resource-reservations): CPU follows a table. Memory is the lesser of two
 *       amounts: a quarter of the reported memory, and 50 MB plus 20 MB for each pod that may run. The eviction threshold is another 100
 *       MiB.
 *   <li>EKS (the machine images' start-up script, github.com/awslabs/amazon-eks-ami): 6 % of the first CPU, 1 % of the second, 0.5 % of the
 *       next two, and 0.25 % of the others. Memory is 255 MiB plus 11 MiB for each pod that may run. The eviction threshold is another 100
 *       MiB.
 * </ul>
 */
final class Reservation {

    private static final long MEBIBYTE = 1L << 20;
    private static final long MEGABYTE = 1_000_000;

    private static final double SHOWN = 0.925;
    private static final long EVICTION_THRESHOLD = 100 * MEBIBYTE;

    /**
     * Pairs of a number of CPUs and the millicores that AKS reserves. Values between two pairs are interpolated, and values after the last
     * pair extrapolated, both linearly.
     */
    private static final int[][] AKS_CPU = {{1, 60}, {2, 100}, {4, 140}, {8, 180}, {16, 260}, {32, 420}, {64, 740}};

    private Reservation() {}

    /** Returns the reserved thousandths of a CPU, rounded up. */
    static long millicores(MachineSize size) {
        return switch (size.cloud()) {
            case AZURE -> aksMillicores(size.cpus());
            case AWS -> eksMillicores(size.cpus());
        };
    }

    /** Returns the memory that pods may take, in bytes, rounded down to a multiple of 1 MiB. */
    static long memoryLeft(MachineSize size) {
        long shown = (long) (size.memory() * SHOWN);
        long kept = switch (size.cloud()) {
            case AZURE -> Math.min((20L * size.pods() + 50) * MEGABYTE, shown / 4);
            case AWS -> (11L * size.pods() + 255) * MEBIBYTE;
        };
        return Math.max(0, (shown - kept - EVICTION_THRESHOLD) / MEBIBYTE) * MEBIBYTE;
    }

    private static long aksMillicores(int cpus) {
        int upper = 1;
        while (upper < AKS_CPU.length - 1 && AKS_CPU[upper][0] < cpus) {
            upper++;
        }
        int[] from = AKS_CPU[upper - 1];
        int[] to = AKS_CPU[upper];
        return (long) Math.ceil(from[1] + (double) (cpus - from[0]) * (to[1] - from[1]) / (to[0] - from[0]));
    }

    private static long eksMillicores(int cpus) {
        double kept = 60;
        kept += cpus >= 2 ? 10 : 0;
        kept += 5 * Math.max(0, Math.min(cpus, 4) - 2);
        kept += 2.5 * Math.max(0, cpus - 4);
        return (long) Math.ceil(kept);
    }
}
