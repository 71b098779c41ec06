package dev.trainyard.extender;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.trainyard.core.Names;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PodLogTest {

    private static final String TRACE = "6f0c7b5e-3f2d-4a55-9a43-0f5a3d3c2b11";

    private final Logger logger = (Logger) LoggerFactory.getLogger(PodLog.class);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final PodLog trail = new PodLog();

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(appender);
    }

    @Test
    void aPodIsFollowedUntilItHasANode() {
        trail.seen(facts(pod(TRACE)));
        refuse(pod(TRACE), FilterRefusal.REMOVING);
        refuse(pod(TRACE), FilterRefusal.REMOVING);
        refuse(pod(TRACE), FilterRefusal.OUTSIDE_TIER);
        var placed = new PodBuilder(pod(TRACE))
                .editSpec()
                .withNodeName("light-spot-0001")
                .endSpec()
                .build();
        trail.seen(facts(placed));
        trail.seen(facts(placed));
        var known = "pod=default/train uid=uid-of-train trace=" + TRACE;
        assertThat(lines())
                .containsExactly(
                        "left without a node %s refused={%s=1}".formatted(known, FilterRefusal.REMOVING.reason()),
                        "left without a node %s refused={%s=1}".formatted(known, FilterRefusal.OUTSIDE_TIER.reason()),
                        "has a node %s node=light-spot-0001".formatted(known));
    }

    @Test
    void podsThatHadANodeWhenWeBeganToLookAreNoNews() {
        trail.seen(facts(new PodBuilder(pod(TRACE))
                .editSpec()
                .withNodeName("a")
                .endSpec()
                .build()));
        assertThat(lines()).isEmpty();
    }

    @Test
    void whatSomebodyElseLeftThereIsInNoLog() {
        refuse(pod("a trace=" + TRACE), FilterRefusal.REMOVING);
        assertThat(lines()).singleElement().asString().contains("trace= ").doesNotContain(TRACE);
    }

    private void refuse(Pod pod, FilterRefusal why) {
        var index = ClusterFixture.index(ClusterFixture.node("a", 4, 1));
        var nodes = ClusterFixture.nodes(index, List.of("a"));
        trail.filtered(
                TieredPod.of(facts(pod), ClusterFixture.CATALOGUE),
                nodes,
                new Verdicts(List.of(), List.of(new Verdicts.Refused(nodes.get(0), why))));
    }

    private List<String> lines() {
        return appender.list.stream()
                .map(event -> event.getFormattedMessage() + " "
                        + event.getKeyValuePairs().stream()
                                .map(pair -> pair.key + "=" + pair.value)
                                .collect(Collectors.joining(" ")))
                .toList();
    }

    private static PodFacts facts(Pod pod) {
        return PodFacts.of(pod);
    }

    private static Pod pod(String trace) {
        return new PodBuilder(ClusterFixture.pod("train", 1, 1))
                .editMetadata()
                .addToAnnotations(Names.ADMISSION, trace)
                .endMetadata()
                .editSpec()
                .withSchedulerName(Names.SCHEDULER)
                .endSpec()
                .build();
    }
}
