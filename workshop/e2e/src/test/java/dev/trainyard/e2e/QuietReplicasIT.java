package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.Lifetimes;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.authority.TlsSource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.math.BigInteger;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two replicas that maintain one CA do not undo each other's work. */
@WithControlPlane
@Tag("slow")
@ResourceLock(WithControlPlane.CLUSTER)
class QuietReplicasIT {

    private static final Logger log = LoggerFactory.getLogger(QuietReplicasIT.class);

    /** No CA expires in this test. Certificates are renewed every ten seconds, and the stored objects are checked continuously. */
    private static final TlsSource.Timing TIMING = new TlsSource.Timing(
            new Lifetimes(Duration.ofHours(1), Duration.ofSeconds(15), Duration.ofSeconds(1), Duration.ofMillis(900)),
            Duration.ofMillis(150));

    @Test
    void writeOnceForEachThingAmissAndNothingAfterwards(ControlPlane controlPlane, KubernetesClient client)
            throws Exception {
        try (var replicas = WebhookReplicas.start(controlPlane, client, TIMING);
                var secret = WebhookReplicas.count(replicas.secret());
                var registration = WebhookReplicas.count(replicas.registration())) {
            // A watch also reports existing objects.
            TrainingGround.awaitTrue("both are watched", () -> secret.seen() > 0 && registration.seen() > 0);
            awaitRenewals(replicas, 1);
            int secretBefore = secret.seen();
            int registrationBefore = registration.seen();
            var signer = replicas.signer().orElseThrow();
            replicas.secret().delete();
            var next = TrainingGround.await(
                    "another CA signs", () -> replicas.signer().filter(found -> !found.equals(signer)));
            replicas.awaitServed(next);
            awaitRenewals(replicas, 1);

            log.info(
                    "replaced writesOfSecret={} writesOfBundle={}",
                    secret.seen() - secretBefore,
                    registration.seen() - registrationBefore);
            assertThat(secret.seen() - secretBefore).as("gone, and made").isEqualTo(2);
            // The replica that created the new CA adds it to the bundle. The other replica finds it there, or adds it
            // at the same moment to the bundle that it has read before.
            assertThat(registration.seen() - registrationBefore).isBetween(1, 2);

            secretBefore = secret.seen();
            registrationBefore = registration.seen();
            awaitRenewals(replicas, 2);
            assertThat(secret.seen() - secretBefore).as("writes of the Secret").isZero();
            assertThat(registration.seen() - registrationBefore)
                    .as("writes of the caBundle")
                    .isZero();
        }
    }

    /**
     * Waits until each replica has presented that many new certificates. A renewal takes ten seconds, so any pending write happens before the return.
     */
    private static void awaitRenewals(WebhookReplicas replicas, int renewals) {
        var shown = new HashMap<Integer, Set<BigInteger>>();
        TrainingGround.awaitTrue("both replicas renew their certificates %d times".formatted(renewals), () -> {
            for (int port : replicas.ports()) {
                shown.computeIfAbsent(port, none -> new HashSet<>()).add(PresentedCertificate.of(port));
            }
            return shown.values().stream().allMatch(certificates -> certificates.size() > renewals);
        });
    }
}
