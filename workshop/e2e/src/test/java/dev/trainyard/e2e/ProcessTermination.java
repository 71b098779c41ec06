package dev.trainyard.e2e;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The termination of a running process.
 *
 * @param afterMachines number of machines of the burst that are requested before the termination
 */
record ProcessTermination(int number, Victim victim, Manner manner, int afterMachines) {

    private static final int MOST_MACHINES = 4;
    private static final Duration GRACE = Duration.ofSeconds(20);

    enum Victim {
        SCALER,
        API_SERVER,
        /** All replicas of the webhook at once. */
        WEBHOOKS,
        /** One of the two replicas of the webhook. */
        WEBHOOK,
        EXTENDER
    }

    enum Manner {
        /** Killed with {@code kill -9}, and restarted at once. */
        KILL,
        /** Terminated with SIGTERM, and down while more pods are created. */
        STOP,
        /** Terminated with SIGTERM, and restarted at once. */
        RESTART
    }

    /**
     * Returns {@code count} terminations: all combinations of manner and victim, kills first, repeated as often as needed. The seed
     * determines the order of the victims of the other manners, and the numbers of machines.
     */
    static List<ProcessTermination> series(int count, long seed) {
        var random = new Random(seed);
        var strikes = new ArrayList<ProcessTermination>();
        while (strikes.size() < count) {
            for (var manner : Manner.values()) {
                var victims = new ArrayList<>(List.of(Victim.values()));
                if (manner != Manner.KILL) {
                    Collections.shuffle(victims, random);
                }
                for (var victim : victims) {
                    strikes.add(new ProcessTermination(
                            strikes.size() + 1, victim, manner, random.nextInt(MOST_MACHINES + 1)));
                }
            }
        }
        return strikes.subList(0, count);
    }

    /** Ends the victim's process. */
    void carryOut(TestCluster testCluster) {
        switch (victim) {
            case API_SERVER -> {
                if (manner == Manner.KILL) {
                    testCluster.controlPlane().kill(ControlPlane.API_SERVER);
                } else {
                    testCluster.controlPlane().stop(ControlPlane.API_SERVER, GRACE);
                }
            }
            case SCALER -> end(testCluster, InstalledComponent.SCALER);
            case EXTENDER -> end(testCluster, InstalledComponent.EXTENDER);
            case WEBHOOK, WEBHOOKS -> end(testCluster, InstalledComponent.WEBHOOK);
        }
    }

    private void end(TestCluster testCluster, InstalledComponent part) {
        if (manner == Manner.KILL) {
            testCluster.kill(part);
        } else {
            testCluster.stop(part);
        }
    }

    boolean isDownForAWhile() {
        return manner == Manner.STOP;
    }

    @Override
    public String toString() {
        return "%d: %s %s after %d machines"
                .formatted(number, manner, victim, afterMachines)
                .toLowerCase(Locale.ROOT);
    }
}
