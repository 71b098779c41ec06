package dev.trainyard.extender;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.extender.score.Scorer;
import dev.trainyard.extender.wire.ExtenderRequest;
import dev.trainyard.extender.wire.FilterAnswer;
import dev.trainyard.extender.wire.MalformedRequestException;
import dev.trainyard.extender.wire.WireFormat;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import io.fabric8.kubernetes.api.model.Pod;
import io.vertx.core.buffer.Buffer;
import java.time.Clock;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the scheduler can ask. Answers come from memory: no call to anything, no lock. */
final class Verbs {

    static final String FILTER = "/filter";
    static final String PRIORITIZE = "/prioritize";

    private static final Logger log = LoggerFactory.getLogger(Verbs.class);

    private final WireFormat wire = new WireFormat();
    private final Supplier<Catalogue> catalogue;
    private final NodeIndex index;
    private final Filter filter;
    private final Scorer scorer;
    private final Consumer<UnplacedPod> unplaced;
    private final ExtenderMetrics metrics;
    private final Clock clock;

    /** @param unplaced told of a pod for which no node was left; must return at once */
    Verbs(
            Supplier<Catalogue> catalogue,
            NodeIndex index,
            Filter filter,
            Scorer scorer,
            Consumer<UnplacedPod> unplaced,
            ExtenderMetrics metrics,
            Clock clock) {
        this.catalogue = catalogue;
        this.index = index;
        this.filter = filter;
        this.scorer = scorer;
        this.unplaced = unplaced;
        this.metrics = metrics;
        this.clock = clock;
    }

    Routes routes() {
        return Routes.none()
                .post(FILTER, request -> answer(request, this::filter))
                .post(PRIORITIZE, request -> answer(request, this::prioritize));
    }

    private interface Verb {
        byte[] answer(ExtenderRequest question) throws MalformedRequestException;
    }

    private Response answer(Request request, Verb verb) {
        long started = System.nanoTime();
        try {
            var question = wire.read(request.body().getBytes());
            var answer = verb.answer(question);
            if (!WarmUpQuestion.isIt(question)) {
                metrics.answered(
                        request.path().substring(1), question.nodeNames().size(), System.nanoTime() - started);
            }
            return Response.json(Buffer.buffer(answer));
        } catch (MalformedRequestException e) {
            // The scheduler does not read the body of an error, so the log has to say it too.
            log.warn("{} was asked with a malformed request: {}", request.path(), e.getMessage());
            return Response.text(400, String.valueOf(e.getMessage()));
        }
    }

    private byte[] filter(ExtenderRequest question) throws MalformedRequestException {
        var verdicts = filter.judge(tiered(question.pod()), question.nodeNames(), index::get);
        metrics.filtered(verdicts);
        if (verdicts.leaveNone()) {
            report(question.pod(), verdicts);
        }
        return wire.write(FilterAnswer.of(question, verdicts.passed(), verdicts.reasons()));
    }

    private byte[] prioritize(ExtenderRequest question) throws MalformedRequestException {
        return wire.write(scorer.score(tiered(question.pod()), question.nodeNames(), index::get));
    }

    private TieredPod tiered(Pod pod) throws MalformedRequestException {
        try {
            return TieredPod.of(PodReader.shapeOf(pod), catalogue.get());
        } catch (RuntimeException e) { // whatever is wrong with the pod is not our failure
            throw new MalformedRequestException("Pod: " + e.getMessage());
        }
    }

    private void report(Pod pod, Verdicts verdicts) {
        var metadata = pod.getMetadata();
        unplaced.accept(new UnplacedPod(
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getNamespace(), ""),
                Objects.requireNonNullElse(metadata.getName(), ""),
                clock.millis(),
                verdicts.histogram()));
    }
}
