package dev.trainyard.extender;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.filter.Verdicts.Refused;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.KnownPods;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.extender.score.Scorer;
import dev.trainyard.extender.wire.ExtenderRequest;
import dev.trainyard.extender.wire.MalformedRequestException;
import dev.trainyard.extender.wire.PreemptionRequest.Victims;
import dev.trainyard.extender.wire.SentPod;
import dev.trainyard.extender.wire.WireFormat;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The verbs of the scheduler's extender protocol. Answers are computed from memory, without locks and without calls to other components. */
final class Verbs {

    /** A filter that leaves only the best node, so that the scheduler neither scores nodes nor calls {@link #PRIORITIZE}. */
    static final String CHOOSE = "/choose";

    static final String FILTER = "/filter";
    static final String PRIORITIZE = "/prioritize";
    static final String PREEMPT = "/preempt";

    private static final Logger log = LoggerFactory.getLogger(Verbs.class);

    private final WireFormat wire;
    private final Supplier<Catalogue> catalogue;
    private final NodeIndex index;
    private final KnownPods known;
    private final Filter filter;
    private final Scorer scorer;
    private final Answers answers;

    /** A listener for answers. It must return at once. */
    interface Answers {

        /**
         * Receives an answer.
         *
         * @param nanos time to compute the answer, without reading and writing the connection
         */
        void answered(String verb, int nodes, long nanos);

        void filtered(TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts);
    }

    Verbs(
            Supplier<Catalogue> catalogue,
            NodeIndex index,
            KnownPods known,
            Filter filter,
            Scorer scorer,
            Answers answers) {
        this.wire = new WireFormat(index);
        this.catalogue = catalogue;
        this.index = index;
        this.known = known;
        this.filter = filter;
        this.scorer = scorer;
        this.answers = answers;
    }

    Routes routes() {
        return Routes.none()
                .post(CHOOSE, request -> answer(request, this::choose))
                .post(FILTER, request -> answer(request, this::filter))
                .post(PRIORITIZE, request -> answer(request, this::prioritize))
                .post(PREEMPT, request -> answer(request, this::preempt));
    }

    /** Returns the UID of the pod in a request; empty if the request was not read to its end, or is malformed. */
    Optional<String> uidOf(Request request) {
        try {
            var body = request.body().getBytes();
            var pod = request.path().equals(PREEMPT)
                    ? wire.readPreemption(body).pod()
                    : wire.read(body).pod();
            return Optional.of(pod.uid());
        } catch (MalformedRequestException e) {
            return Optional.empty();
        }
    }

    /** @param nodes number of nodes in the request */
    private record Answer(int nodes, byte[] json) {}

    private interface Verb {
        Answer answer(Request request) throws MalformedRequestException;
    }

    private Response answer(Request request, Verb verb) {
        long started = System.nanoTime();
        try {
            var answer = verb.answer(request);
            if (!request.warmUp()) {
                answers.answered(request.path().substring(1), answer.nodes(), System.nanoTime() - started);
            }
            return Response.json(Buffer.buffer(answer.json()));
        } catch (MalformedRequestException e) {
            // The scheduler does not read the body of an error, so the problem is logged too.
            log.warn("{} received a malformed request: {}", request.path(), e.getMessage());
            return Response.text(400, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Answers with the best of the nodes that pass the filter. The same node would win with {@link #FILTER} and {@link #PRIORITIZE},
     * because its lead in {@link Scorer}'s points is larger than the points of all plugins of the scheduler together. Answers as
     * {@link #FILTER} does if no node passes, or if the index knows none of the nodes that pass.
     */
    private Answer choose(Request request) throws MalformedRequestException {
        var question = wire.read(request.body().getBytes());
        var pod = tiered(question.pod(), request.warmUp());
        var refused = new ArrayList<Refused>();
        var best = scorer.best(pod, question.nodes(), filter.passing(pod, refused));
        if (best.isEmpty()) {
            return lastResort(request, question, pod);
        }
        report(request, pod, question.nodes(), new Verdicts(List.of(best.get()), refused));
        return only(best.get(), question);
    }

    /** Answers with the best node that the pod may use if no other node passes. Answers as {@link #FILTER} does if there is no such node. */
    private Answer lastResort(Request request, ExtenderRequest question, TieredPod pod) {
        var verdicts = judge(request, pod, question.nodes());
        return scorer.best(pod, verdicts.passed())
                .map(best -> only(best, question))
                .orElseGet(() -> answer(question, verdicts));
    }

    private Answer only(IndexedNode chosen, ExtenderRequest question) {
        return answer(question, new Verdicts(List.of(chosen), List.of()));
    }

    private Answer answer(ExtenderRequest question, Verdicts verdicts) {
        return new Answer(question.nodes().size(), wire.write(question, verdicts));
    }

    private Answer filter(Request request) throws MalformedRequestException {
        var question = wire.read(request.body().getBytes());
        return answer(question, judge(request, tiered(question.pod(), request.warmUp()), question.nodes()));
    }

    private Verdicts judge(Request request, TieredPod pod, List<IndexedNode> nodes) {
        var verdicts = filter.judge(pod, nodes);
        report(request, pod, nodes, verdicts);
        return verdicts;
    }

    private void report(Request request, TieredPod pod, List<IndexedNode> nodes, Verdicts verdicts) {
        if (!request.warmUp()) {
            answers.filtered(pod, nodes, verdicts);
        }
    }

    private Answer prioritize(Request request) throws MalformedRequestException {
        var question = wire.read(request.body().getBytes());
        var scores = scorer.score(tiered(question.pod(), request.warmUp()), question.nodes());
        return new Answer(scores.length, wire.write(question.nodes(), scores));
    }

    /**
     * Answers a preemption request. Omits the nodes that the filter would refuse, because evictions there would not help. Also omits nodes
     * without a victim, because the scheduler treats such a node as an error.
     */
    private Answer preempt(Request request) throws MalformedRequestException {
        var question = wire.readPreemption(request.body().getBytes());
        var nodes = question.victims().entrySet().stream()
                .filter(node -> !node.getValue().pods().isEmpty())
                .map(node -> index.node(node.getKey()))
                .toList();
        var kept = new LinkedHashMap<String, Victims>();
        for (var node :
                filter.judge(tiered(question.pod(), request.warmUp()), nodes).passed()) {
            kept.put(node.name(), Objects.requireNonNull(question.victims().get(node.name())));
        }
        return new Answer(question.victims().size(), wire.write(kept));
    }

    private TieredPod tiered(SentPod sent, boolean warmUp) throws MalformedRequestException {
        var facts = known.get(sent.uid()).filter(sent::isSameVersionAs).orElse(null);
        if (facts == null) {
            facts = sent.read();
            remember(facts, warmUp);
        }
        return TieredPod.of(facts, catalogue.get());
    }

    /** Stores the facts of a pod, because the scheduler's next request is about the same pod. A warm-up request stores nothing. */
    private void remember(PodFacts facts, boolean warmUp) {
        if (!warmUp) {
            known.put(facts);
        }
    }
}
