package dev.trainyard.workshop.cluster;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.EmulatedMachine;
import dev.trainyard.emulator.azure.AzureEmulator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The labels that nodes of real clouds have beyond those that their pool promises for new nodes. Trainyard sets none of these labels.
 *
 * @param ofKubelet the labels with which the kubelet registers: on AWS those of EKS and kops, on Azure those of AKS and aks-engine
 * @param ofController the labels that the cloud's controller manager sets when it initializes the node
 */
record CloudLabels(Map<String, String> ofKubelet, Map<String, String> ofController) {

    private static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";
    private static final String REGION = "topology.kubernetes.io/region";
    private static final String ZONE = "topology.kubernetes.io/zone";

    CloudLabels {
        ofKubelet = Map.copyOf(ofKubelet);
        ofController = Map.copyOf(ofController);
    }

    /** Returns the labels for the node of a machine. The prefix of the provider ID shows the cloud. */
    static CloudLabels of(EmulatedMachine machine, Pool pool) {
        return machine.providerId().startsWith("azure://") ? azure(machine, pool) : aws(machine, pool);
    }

    private static CloudLabels aws(EmulatedMachine machine, Pool pool) {
        // aws:///eu-west-1a/i-0000000000000010a
        var zone = machine.providerId().split("/", -1)[3];
        return new CloudLabels(
                Map.of(
                        "eks.amazonaws.com/nodegroup",
                        machine.group(),
                        "eks.amazonaws.com/capacityType",
                        pool.isSpot() ? "SPOT" : "ON_DEMAND",
                        "kops.k8s.io/instancegroup",
                        machine.group(),
                        "node-role.kubernetes.io/node",
                        ""),
                Map.of(
                        INSTANCE_TYPE,
                        type(pool, "p3.2xlarge"),
                        REGION,
                        zone.isEmpty() ? "" : zone.substring(0, zone.length() - 1),
                        ZONE,
                        zone));
    }

    private static CloudLabels azure(EmulatedMachine machine, Pool pool) {
        var labels = new TreeMap<>(Map.of(
                "agentpool", machine.group(),
                "kubernetes.azure.com/agentpool", machine.group(),
                "kubernetes.azure.com/mode", "user",
                "kubernetes.azure.com/role", "agent",
                "kubernetes.io/role", "agent",
                "storageprofile", "managed"));
        if (pool.isSpot()) {
            labels.put("kubernetes.azure.com/scalesetpriority", "spot");
        }
        return new CloudLabels(
                labels,
                Map.of(INSTANCE_TYPE, type(pool, "Standard_NC6s_v3"), REGION, AzureEmulator.LOCATION, ZONE, "0"));
    }

    private static String type(Pool pool, String otherwise) {
        return pool.ownLabels().getOrDefault(INSTANCE_TYPE, otherwise);
    }
}
