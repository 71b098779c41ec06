package dev.trainyard.e2e;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link GoldenPodsIT} for pairs with pools and tiers of their own: each starts a webhook that reads them. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class GoldenPodsOfOtherTiersIT {

    static List<GoldenPod> goldenPods() throws IOException {
        return GoldenPod.all()
                .filter(golden -> !golden.poolsAndTiers().isEmpty())
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goldenPods")
    void isStoredAndToldAs(GoldenPod golden, ControlPlane controlPlane, KubernetesClient client) throws Exception {
        var poolsAndTiers = new ArrayList<HasMetadata>();
        for (var object : golden.poolsAndTiers()) {
            poolsAndTiers.add((HasMetadata) client.getKubernetesSerialization().unmarshal(object.toString()));
        }
        var webhook = RegisteredWebhook.start(controlPlane, client, poolsAndTiers);
        try {
            GoldenPodsIT.assertStoredAndTold(golden, client);
        } finally {
            webhook.close();
        }
    }
}
