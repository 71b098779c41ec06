package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ProbesTest {

    @Test
    void namesTheRightThatIsMissing() {
        try (var probes = new Probes(Duration.ofMinutes(1))) {
            assertThat(
                            refused(
                                    probes,
                                    403,
                                    "leases.coordination.k8s.io \"trainyard-scaler\" is forbidden: User \"jane\" cannot get resource \"leases\" in API group \"coordination.k8s.io\" in the namespace \"trainyard-system\""))
                    .isEqualTo("needs the right to get leases.coordination.k8s.io in trainyard-system");
            assertThat(
                            refused(
                                    probes,
                                    403,
                                    "nodes is forbidden: User \"jane\" cannot list resource \"nodes\" in API group \"\" at the cluster scope"))
                    .isEqualTo("needs the right to list nodes");
            assertThat(refused(probes, 403, "pods \"a\" is forbidden: exceeded quota: small"))
                    .isEqualTo("pods \"a\" is forbidden: exceeded quota: small");
            assertThat(refused(probes, 500, "etcd is down")).isEqualTo("etcd is down");
        }
    }

    @Test
    void waitsForNobodyLongerThanItMay() {
        var never = new CountDownLatch(1);
        try (var hurried = new Probes(Duration.ofMillis(50));
                var patient = new Probes(Duration.ofMinutes(1))) {
            var hangs = hurried.start(() -> waitFor(never));
            assertThat(hangs.join().problem()).isEqualTo("no answer within 50 ms");
            assertThat(patient.after(hangs, part -> part.problem().length())
                            .join()
                            .value())
                    .isPresent();
        }
    }

    @Test
    void oneThatHangsKeepsNoOtherWaiting() {
        var never = new CountDownLatch(1);
        try (var probes = new Probes(Duration.ofMinutes(1))) {
            var hangs = probes.start(() -> waitFor(never));
            assertThat(probes.start(() -> "here").join().value()).contains("here");
            assertThat(hangs).isNotDone();
        }
    }

    private static String waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }

    private static String refused(Probes probes, int code, String message) {
        var status = new StatusBuilder().withCode(code).withMessage(message).build();
        return probes.<String>start(() -> {
                    throw new KubernetesClientException("refused", code, status);
                })
                .join()
                .problem();
    }
}
