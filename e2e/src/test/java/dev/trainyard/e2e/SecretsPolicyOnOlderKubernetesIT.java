package dev.trainyard.e2e;

import dev.trainyard.local.testing.WithControlPlane;

/** The same on the oldest Kubernetes that Trainyard is for. */
@WithControlPlane(version = "1.32")
class SecretsPolicyOnOlderKubernetesIT extends SecretsPolicyIT {}
