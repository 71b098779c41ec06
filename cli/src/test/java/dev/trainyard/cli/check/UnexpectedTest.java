package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.configuration.Catalogues;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that an unexpected object, or a bug in a check, affects only the findings that depend on it. */
class UnexpectedTest {

    private final CheckFixture world = new CheckFixture();

    /** A check with a bug. */
    private static final class BrokenCheck implements Check {
        @Override
        public List<Finding> look(ClusterSnapshot seen) {
            return List.of(Objects.requireNonNull(null, "odd"));
        }
    }

    @Test
    void oneCheckThatFailsStopsNoOther() {
        var findings = Checks.of(List.of(new BrokenCheck(), new PromiseCheck()), world.seen());
        assertThat(findings).hasSize(2);
        assertThat(findings.get(0).toString())
                .startsWith(
                        "warning  BrokenCheck: could not be checked: java.lang.NullPointerException: odd at dev.trainyard.cli.check.UnexpectedTest$BrokenCheck.look(UnexpectedTest.java:")
                .contains("; please report this line; the other findings are still valid; see ")
                .endsWith("#not-checked");
        assertThat(findings.get(1).level()).isEqualTo(Finding.Level.OK);
    }

    @Test
    void aStatusWithoutTimesHoldsUpNothing() {
        world.pools = ReadResult.of(List.of(
                CheckFixture.pool("spot", "1", "{backOff: {kind: quota}, conditions: [{type: Ready}]}"),
                CheckFixture.pool("other", "2", "{backOff: {until: \"2026-03-01T12:05:00Z\"}}")));
        world.events = List.of(CheckFixture.event("ExtenderNotAsked", "a", CheckFixture.NOW));
        world.events.get(0).setEventTime(new MicroTime());
        assertThat(world.findings())
                .noneMatch(finding -> finding.contains("could not be checked"))
                .noneMatch(finding -> finding.contains("null"))
                .noneMatch(finding -> finding.startsWith("warning  TrainingPool spot: backs off"))
                .anyMatch(
                        finding -> finding.startsWith(
                                "warning  TrainingPool other: backs off until 2026-03-01T12:05:00Z: no kind is given: no reason is given"))
                .anyMatch(finding -> finding.startsWith("error    calls of the extender: in the last hour"));
    }

    @Test
    void noPodIsTriedWherePoolsCannotBeUnderstood() {
        var odd = CheckFixture.pool("spot", "1", "{}");
        odd.setMetadata(new ObjectMeta() {
            @Override
            public String getName() {
                throw new IllegalStateException("a mistake in the reading of pools");
            }
        });
        assertThatThrownBy(() -> Catalogues.of(List.of(odd), List.of())).isInstanceOf(RuntimeException.class);
        try (var client =
                        new KubernetesClientBuilder().withConfig(Config.empty()).build();
                var probes = new Probes(Duration.ofMinutes(1))) {
            var pools = CompletableFuture.completedFuture(ReadResult.of(List.of(odd)));
            var tiers = CompletableFuture.completedFuture(ReadResult.of(List.of(CheckFixture.tier("light", "spot"))));
            assertThat(DryRunPods.start(client, CheckFixture.usual(), probes, pools, tiers)
                            .join())
                    .singleElement()
                    .extracting(DryRunPod::outcome)
                    .isInstanceOf(DryRunPod.NotTried.class);
            assertThat(CloudReader.of(Map.of(), List.of())
                            .start(probes, pools, tiers)
                            .join())
                    .isEmpty();
        }
    }
}
