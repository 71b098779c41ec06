package dev.trainyard.webhook.admission;

import dev.trainyard.runtime.configuration.ConfigurationSource;
import dev.trainyard.runtime.log.RepetitionFilter;
import dev.trainyard.runtime.namespace.NamespaceSource;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.runtime.server.RequestHandler;
import dev.trainyard.runtime.server.Response;
import dev.trainyard.runtime.server.Routes;
import dev.trainyard.webhook.admission.AdmissionRequest.MalformedException;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.decision.Decision.Postponed;
import dev.trainyard.webhook.decision.Decision.Refused;
import dev.trainyard.webhook.decision.Decision.Untouched;
import dev.trainyard.webhook.decision.JobDecider;
import dev.trainyard.webhook.decision.PodDecider;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A handler of AdmissionReviews. A body that is not an AdmissionReview gets status 400, and the API server then applies the webhook's
 * {@code failurePolicy}. All other requests get status 200, with the decision in the body. The handler neither blocks nor calls other
 * components. Thread-safe.
 */
public final class MutateHandler implements RequestHandler {

    public static final String PATH = "/mutate";

    private static final Logger log = LoggerFactory.getLogger("dev.trainyard.webhook");
    private static final int BAD_REQUEST = 400;

    private final PodDecider decider;
    private final JobDecider jobs;
    private final ConfigurationSource configuration;
    private final NamespaceSource namespaces;
    private final Map<String, Map<String, Counter>> counters;
    private final RepetitionFilter novelty = new RepetitionFilter();

    public MutateHandler(
            PodDecider decider, ConfigurationSource configuration, NamespaceSource namespaces, MeterRegistry registry) {
        this.decider = decider;
        this.jobs = new JobDecider(decider);
        this.configuration = configuration;
        this.namespaces = namespaces;
        this.counters = Map.of("pod", counters(registry, "pod"), "job", counters(registry, "job"));
    }

    /** Returns the route of AdmissionReviews. Reviews are handled on worker threads, so that a large pod does not delay other reviews. */
    public Routes routes() {
        return Routes.none().postOnWorker(PATH, this);
    }

    @Override
    public Response handle(Request request) {
        try {
            var admission = AdmissionRequest.parse(request.body().getBytes());
            var decision = decide(admission, request.warmUp());
            if (request.isOverdue()) {
                decision = new Failed("the review took longer than half of the webhook's timeout");
            }
            if (!admission.dryRun()) {
                counter(admission.noun(), decision).increment();
                log(admission, decision);
            }
            return Response.json(Buffer.buffer(AdmissionResponse.of(admission.uid(), admission.noun(), decision)));
        } catch (MalformedException e) {
            return Response.text(BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private Decision decide(AdmissionRequest admission, boolean warmUp) {
        var pod = admission.newPod();
        var job = admission.newJob();
        if (pod == null && job == null) {
            return new Untouched("the request creates neither a pod nor a Job: " + admission.what(), List.of());
        }
        if (pod != null && warmUp) {
            return Rehearsal.decide(decider, pod);
        }
        if (!configuration.isComplete() || !namespaces.isComplete()) {
            // Without this check, the webhook could refuse a pod whose tier exists but is not read yet.
            return new Failed("pools, tiers and namespaces are not read yet; create the %s again later"
                    .formatted(admission.noun()));
        }
        var facts = namespaces.facts(admission.namespace());
        return pod == null
                ? jobs.decide(Objects.requireNonNull(job), admission.namespace(), facts, configuration.current())
                : decider.decide(pod, admission.namespace(), facts, admission.uid(), configuration.current());
    }

    private Counter counter(String noun, Decision decision) {
        return Objects.requireNonNull(Objects.requireNonNull(counters.get(noun)).get(decision.word()));
    }

    /**
     * Creates all counters at the start. If a time series began with the first failure, an alert on its increase would miss that failure.
     */
    private static Map<String, Counter> counters(MeterRegistry registry, String noun) {
        return Decision.WORDS.stream()
                .collect(Collectors.toUnmodifiableMap(
                        word -> word,
                        word -> Counter.builder("trainyard.webhook.decisions")
                                .description(
                                        "Pods and Jobs by decision; \"failed\" ones were admitted unchanged because of a fault of the webhook")
                                .tag("object", noun)
                                .tag("decision", word)
                                .register(registry)));
    }

    private void log(AdmissionRequest admission, Decision decision) {
        if (decision instanceof Completed completed) {
            line(Level.INFO, admission)
                    .addKeyValue("tier", completed.tier().orElse("-"))
                    .addKeyValue("operations", completed.patch().size())
                    .log(decision.word());
        } else if (decision instanceof Refused refused) {
            line(Level.INFO, admission).addKeyValue("reason", refused.message()).log("refused");
        } else if (decision instanceof Postponed postponed) {
            line(Level.INFO, admission)
                    .addKeyValue("reason", postponed.message())
                    .log("postponed");
        } else if (decision instanceof Malformed malformed) {
            line(Level.INFO, admission)
                    .addKeyValue("problem", malformed.problem())
                    .log("malformed");
        } else if (decision instanceof Failed failed) {
            line(Level.WARN, admission)
                    .addKeyValue("problem", failed.problem())
                    .setCause(failed.fault().filter(novelty::isNew).orElse(null))
                    .log("admitted the {} without completing it", admission.noun());
        } else if (decision instanceof Untouched untouched) {
            line(Level.DEBUG, admission)
                    .addKeyValue("reason", untouched.reason())
                    .log("untouched");
        }
    }

    private static LoggingEventBuilder line(Level level, AdmissionRequest admission) {
        return log.atLevel(level)
                .addKeyValue(admission.noun(), admission.objectName())
                .addKeyValue("trace", admission.trace());
    }
}
