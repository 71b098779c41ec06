package dev.trainyard.core.machine;

/**
 * What a node keeps from its pods. The clouds publish how their managed clusters reckon it; clusters that people set up themselves mostly
 * keep less. So this is rather too much, until a live node tells.
 *
 * <ul>
 *   <li>The machine itself: a node shows less memory than is sold. 7.5 %, as Karpenter takes off by default on both clouds.
 *   <li>AKS 1.29 and later (learn.microsoft.com/azure/aks/node-resource-reservations): CPU by a table; memory the lesser of 20 MB for each
 *       pod that may run and 50 MB more, and a quarter; 100 MiB are never given away.
 *   <li>EKS (the machine images' start-up script, github.com/awslabs/amazon-eks-ami): 6 % of the first CPU, 1 % of the second, 0.5 % of the
 *       next two, 0.25 % of the others; 11 MiB for each pod that may run and 255 MiB more; 100 MiB are never given away.
 * </ul>
 */
final class Reservation {

    private static final long MEBIBYTE = 1L << 20;
    private static final long MEGABYTE = 1_000_000;

    private static final double SHOWN = 0.925;
    private static final long EVICTION_THRESHOLD = 100 * MEBIBYTE;

    /** AKS: millicores kept on machines of so many CPUs. Between two of them it is the line that joins them; so it is after the last. */
    private static final int[][] AKS_CPU = {{1, 60}, {2, 100}, {4, 140}, {8, 180}, {16, 260}, {32, 420}, {64, 740}};

    private Reservation() {}

    /** Thousandths of a CPU that are kept, rounded up. */
    static long millicores(MachineSize size) {
        return switch (size.cloud()) {
            case AZURE -> aksMillicores(size.cpus());
            case AWS -> eksMillicores(size.cpus());
        };
    }

    /** Bytes of memory that pods may take, in whole MiB. */
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
