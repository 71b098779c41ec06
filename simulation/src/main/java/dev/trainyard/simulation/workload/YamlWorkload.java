package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A reader of workloads from Kubernetes objects as users write them: Jobs, Deployments, StatefulSets, ReplicaSets, Pods and PriorityClasses.
 * Annotations of an object state when and how often it is created. An annotation of the pod template states how long a pod runs.
 */
public final class YamlWorkload {

    /** Annotation: the time from the start of the simulation until the object is created. */
    public static final String ARRIVAL = "trainyard.dev/simulated-arrival";
    /** Annotation: the interval at which the object is created again. */
    public static final String EVERY = "trainyard.dev/simulated-every";
    /** Annotation: the total number of times that the object is created. */
    public static final String TIMES = "trainyard.dev/simulated-times";
    /** Annotation: a deadline of the pod's Job that the report considers, but not the scaler. */
    public static final String DEADLINE = "trainyard.dev/simulated-deadline";
    /** Annotation: the restart cost of a pod without a deadline; see {@link Names#RESTART_COST}. */
    public static final String RESTART_COST = "trainyard.dev/simulated-restart-cost";
    /** Annotation: how long a pod runs. */
    public static final String DURATION = "trainyard.dev/simulated-duration";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> KINDS = Set.of("Job", "Deployment", "StatefulSet", "ReplicaSet", "Pod");
    private static final Duration USUAL = Duration.ofMinutes(10);
    private static final int MOST_TIMES = 1_000_000;

    private YamlWorkload() {}

    /**
     * Reads a workload from YAML files.
     *
     * @throws ResourceFileException if a value is invalid; the message names object, field, value and expectation
     */
    public static Workload of(ResourceFiles files) {
        var tasks = new ArrayList<Task>();
        var names = new HashSet<String>();
        for (var document : files.documents()) {
            if (KINDS.contains(document.kind())) {
                var name = name(document, names);
                int times = times(document);
                var every = duration(document, document.object(), EVERY).orElse(Duration.ZERO);
                var first = duration(document, document.object(), ARRIVAL).orElse(Duration.ZERO);
                for (int i = 0; i < times; i++) {
                    tasks.add(task(document, name, first.plus(every.multipliedBy(i)), times == 1 ? "" : "-" + i));
                }
            } else if (makesPods(document.object())) {
                throw wrong(document, "kind", document.kind(), "one of " + String.join(", ", new TreeSet<>(KINDS)));
            }
        }
        return new Workload(tasks, files.ofKind(PriorityClass.class));
    }

    /**
     * Whether some controller would create pods from the object. Such kinds are refused, because their behaviour is unknown here. Other
     * kinds, such as Services, are ignored.
     */
    private static boolean makesPods(JsonNode object) {
        var spec = object.path("spec");
        return spec.path("template").path("spec").has("containers") || spec.has("jobTemplate");
    }

    private static Task task(Document document, String name, Duration arrives, String suffix) {
        var object = document.object();
        boolean isPod = document.kind().equals("Pod");
        var template = isPod ? object : object.path("spec").path("template");
        if (!template.path("spec").isObject()) {
            throw wrong(
                    document,
                    (isPod ? "spec" : "spec.template.spec") + " is missing or not an object; expected a pod's spec");
        }
        for (var stated : List.of(Names.DEADLINE, DEADLINE)) {
            annotation(document, template, stated).ifPresent(text -> time(document, stated, text));
        }
        for (var stated : List.of(Names.WORK, Names.RESTART_COST, RESTART_COST)) {
            duration(document, template, stated);
        }
        int pods = number(document, document.kind().equals("Job") ? "parallelism" : "replicas", 1);
        int completions = document.kind().equals("Job") ? number(document, "completions", pods) : pods;
        boolean ends = isPod || document.kind().equals("Job");
        var runs = duration(document, template, DURATION)
                .or(() -> duration(document, object, DURATION))
                .or(() -> ends ? Optional.of(USUAL) : Optional.empty());
        var pod = JSON.createObjectNode();
        pod.set("metadata", template.path("metadata").isObject() ? template.path("metadata") : JSON.createObjectNode());
        pod.set("spec", template.path("spec"));
        var namespace = object.path("metadata").path("namespace").asText("default");
        return new Task(
                document.kind(),
                namespace.isEmpty() ? "default" : namespace,
                name + suffix,
                pod::deepCopy,
                isPod ? 1 : Math.min(pods, completions),
                isPod ? 1 : completions,
                number(document, "backoffLimit", Task.USUAL_BACKOFF_LIMIT),
                arrives,
                runs);
    }

    /**
     * Returns a name that is unique within kind and namespace. For an object without a name, this method makes a name from
     * {@code generateName}.
     */
    private static String name(Document document, Set<String> names) {
        var metadata = document.object().path("metadata");
        var kind = document.kind() + " " + metadata.path("namespace").asText("") + "/";
        if (metadata.path("name").isTextual()) {
            var name = metadata.path("name").asText();
            if (!names.add(kind + name)) {
                throw wrong(document, "metadata.name", name, "a name that no other %s has".formatted(document.kind()));
            }
            return name;
        }
        var made = metadata.path("generateName").asText("unnamed");
        var stem = made.endsWith("-") ? made.substring(0, made.length() - 1) : made;
        var name = stem;
        for (int another = 2; !names.add(kind + name); another++) {
            name = stem + "-" + another;
        }
        return name;
    }

    private static int times(Document document) {
        var text = annotation(document, document.object(), TIMES);
        if (text.isEmpty()) {
            return 1;
        }
        try {
            int times = Integer.parseInt(text.get());
            if (times >= 1 && times <= MOST_TIMES) {
                return times;
            }
        } catch (NumberFormatException e) {
            // The error is reported below.
        }
        throw wrong(document, TIMES, text.get(), "a whole number from 1 to " + MOST_TIMES);
    }

    private static int number(Document document, String field, int otherwise) {
        var value = document.object().path("spec").path(field);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.asInt() < 0) {
            throw wrong(document, "spec." + field, value.asText(), "a number of pods");
        }
        return value.asInt();
    }

    private static Optional<Duration> duration(Document document, JsonNode object, String annotation) {
        return annotation(document, object, annotation).map(text -> {
            try {
                return Durations.parse(text);
            } catch (IllegalArgumentException e) {
                throw wrong(document, annotation, text, "a duration such as 90s, 15m or 1h30m");
            }
        });
    }

    private static void time(Document document, String annotation, String text) {
        try {
            Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw wrong(document, annotation, text, "a time such as 2026-01-06T08:00:00Z");
        }
    }

    private static Optional<String> annotation(Document document, JsonNode object, String name) {
        var value = object.path("metadata").path("annotations").path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isTextual()) {
            throw wrong(document, name, value.toString(), "a text: put it in quotation marks");
        }
        return Optional.of(value.asText());
    }

    private static ResourceFileException wrong(Document document, String field, String value, String expected) {
        return wrong(document, "%s is '%s'; expected %s".formatted(field, value, expected));
    }

    private static ResourceFileException wrong(Document document, String problem) {
        return new ResourceFileException("%s: %s: %s".formatted(document.place(), document.title(), problem));
    }
}
