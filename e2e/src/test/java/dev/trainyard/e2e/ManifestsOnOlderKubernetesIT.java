package dev.trainyard.e2e;

import dev.trainyard.local.testing.WithControlPlane;

/** With the kubectl of that version, too, whose kustomize is an older one. */
@WithControlPlane(version = "1.32")
class ManifestsOnOlderKubernetesIT extends ManifestsIT {}
