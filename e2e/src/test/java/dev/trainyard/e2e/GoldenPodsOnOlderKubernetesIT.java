package dev.trainyard.e2e;

import dev.trainyard.local.testing.WithControlPlane;

@WithControlPlane(version = "1.32")
class GoldenPodsOnOlderKubernetesIT extends GoldenPodsIT {}
