package dev.trainyard.workshop.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObserverTest {

    private static final Instant START = Instant.parse("2026-01-01T12:00:00Z");

    private final Timeline timeline = new Timeline(Clock.fixed(START, ZoneOffset.UTC), event -> {});
    private final Observer observer = new Observer(timeline);

    @Test
    void showsAnAnnouncedReclaimOnce() {
        var plain = node().build();
        var announced = announced();
        observer.nodeChanged(Optional.empty(), Optional.of(plain));
        observer.nodeChanged(Optional.of(plain), Optional.of(announced));
        observer.nodeChanged(Optional.of(announced), Optional.of(announced));

        assertThat(timeline.since(Duration.ZERO))
                .filteredOn(event -> event.who().equals("agent (simulated)"))
                .extracting(TimelineEvent::what)
                .containsExactly("announces a reclaim: taint aws-node-termination-handler/spot-itn");
    }

    @Test
    void showsTheGracePeriodOfAnEvictedPod() {
        var running = new PodBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName("train-1")
                .endMetadata()
                .withNewSpec()
                .withNodeName("spot-0001")
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .addNewCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        var terminating = new PodBuilder(running)
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T12:00:28Z")
                .withDeletionGracePeriodSeconds(28L)
                .endMetadata()
                .build();
        observer.podChanged(Optional.of(running), Optional.of(terminating));
        observer.podChanged(Optional.of(terminating), Optional.of(terminating));

        assertThat(timeline.since(Duration.ZERO))
                .extracting(TimelineEvent::what)
                .containsExactly("evicted, with 28 s to end");
    }

    /** Events arrive late and in any order. Their own times show the order of the component's actions. */
    @Test
    void knowsWhenAComponentFirstReportedAnEvent() {
        assertThat(observer.firstReport("ScaleUp", "trainingpool/spot")).isEmpty();
        observer.eventChanged(Optional.empty(), Optional.of(event("one", "2026-01-01T12:00:03.250000Z")));
        observer.eventChanged(Optional.empty(), Optional.of(event("two", "2026-01-01T12:00:09.000000Z")));

        assertThat(observer.firstReport("ScaleUp", "trainingpool/spot")).contains(Duration.ofMillis(3250));
        assertThat(observer.firstReport("ScaleUp", "trainingpool/ondemand")).isEmpty();
    }

    @Test
    void showsThatTheScalerWritesTheNoticeOfAQueue() {
        var announced = node().editMetadata()
                .addToAnnotations(
                        "trainyard.dev/aws-spot-interruption",
                        "ends at 2026-01-01T12:02:00Z, announced at 2026-01-01T12:00:00Z")
                .endMetadata()
                .build();
        observer.nodeChanged(Optional.of(node().build()), Optional.of(announced));

        assertThat(timeline.since(Duration.ZERO))
                .filteredOn(event ->
                        event.what().equals("announces a reclaim: annotation trainyard.dev/aws-spot-interruption"))
                .extracting(TimelineEvent::who)
                .containsExactly("scaler");
    }

    private static NodeBuilder node() {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("spot-0001")
                .addToLabels("trainyard.dev/pool", "spot")
                .endMetadata();
    }

    private static Node announced() {
        return node().withNewSpec().addToTaints(ReclaimSign.taint()).endSpec().build();
    }

    private static Event event(String uid, String at) {
        return new EventBuilder()
                .withNewMetadata()
                .withUid(uid)
                .endMetadata()
                .withEventTime(new MicroTime(at))
                .withReportingController("trainyard.dev/trainyard-scaler")
                .withReason("ScaleUp")
                .withNote("pool spot grows")
                .withNewRegarding()
                .withKind("TrainingPool")
                .withName("spot")
                .endRegarding()
                .build();
    }
}
