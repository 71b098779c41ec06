package dev.trainyard.runtime.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer of Kubernetes Events, which {@code kubectl describe} shows to users. Calls never block and never fail: one thread writes the
 * Events from a bounded queue, and an Event is dropped if the queue is full. The same message about the same object is written at most once
 * in five minutes. Thread-safe.
 */
public final class EventRecorder implements AutoCloseable {

    /** The type of an Event: {@code Normal} or {@code Warning}. */
    public enum Type {
        NORMAL("Normal"),
        WARNING("Warning");

        private final String word;

        Type(String word) {
            this.word = word;
        }
    }

    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
    private static final Duration QUIET = Duration.ofMinutes(5);
    private static final int REMEMBERED = 10_000;
    private static final int QUEUED = 2_000;
    private static final int MAX_NOTE = 1000; // events.k8s.io/v1 rejects more than 1024 bytes
    private static final int MAX_NAME = 253;
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final KubernetesClient client;
    private final String component;
    private final String instance;
    private final Clock clock;
    private final ThreadPoolExecutor writer;
    private final Map<String, Instant> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > REMEMBERED;
        }
    };

    /**
     * @param component name of the reporting component, such as {@code trainyard-scaler}
     * @param instance name of the replica
     */
    public EventRecorder(KubernetesClient client, String component, String instance, Clock clock) {
        this.client = client;
        this.component = component;
        this.instance = instance;
        this.clock = clock;
        this.writer = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUED), task -> {
            var thread = new Thread(task, "events");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Records an event about an object.
     *
     * @param reason one word in camel case for {@code kubectl describe}, such as {@code ScaleUp}
     * @param action the action that was done or tried, such as {@code Grow}
     */
    public void record(HasMetadata about, Type type, String reason, String action, String message) {
        var metadata = about.getMetadata();
        var identity = Optional.ofNullable(metadata.getUid()).orElse(metadata.getName());
        var key = identity + "|" + reason + "|" + message;
        if (isNews(key)) {
            var now = clock.instant();
            try {
                writer.execute(() -> {
                    if (!write(about, type, reason, action, message, now)) {
                        forget(key);
                    }
                });
            } catch (RejectedExecutionException e) {
                forget(key);
                log.warn(
                        "an Event about {} {} is not written, because {}",
                        about.getKind(),
                        metadata.getName(),
                        writer.isShutdown()
                                ? "this process is stopping"
                                : "%d Events are waiting already".formatted(QUEUED));
            }
        }
    }

    /** Writes the queued Events, for at most two seconds. */
    @Override
    public void close() {
        finish(writer);
    }

    private static void finish(ExecutorService executor) {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(2, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isNews(String key) {
        var now = clock.instant();
        var before = said.get(key);
        if (before != null && Duration.between(before, now).compareTo(QUIET) < 0) {
            return false;
        }
        said.remove(key);
        said.put(key, now);
        return true;
    }

    /** Forgets an Event that was not written, so that the next attempt is not suppressed. */
    private synchronized void forget(String key) {
        said.remove(key);
    }

    private boolean write(HasMetadata about, Type type, String reason, String action, String message, Instant at) {
        var metadata = about.getMetadata();
        // Events about cluster-scoped objects belong to the default namespace.
        var namespace = Optional.ofNullable(metadata.getNamespace()).orElse("default");
        try {
            client.resource(new EventBuilder()
                            .withNewMetadata()
                            // The name has the form NAME.SUFFIX, as in client-go. A generateName cannot produce this
                            // form, because a generateName must not end in a dot.
                            .withName(shortened(metadata.getName(), MAX_NAME - 37) + "." + UUID.randomUUID())
                            .withNamespace(namespace)
                            .endMetadata()
                            .withEventTime(new MicroTime(MICROS.format(at)))
                            .withType(type.word)
                            .withReason(reason)
                            .withAction(action)
                            .withNote(shortened(message, MAX_NOTE))
                            .withReportingController("trainyard.dev/" + component)
                            .withReportingInstance(instance)
                            .withRegarding(new ObjectReferenceBuilder()
                                    .withApiVersion(about.getApiVersion())
                                    .withKind(about.getKind())
                                    .withName(metadata.getName())
                                    .withNamespace(metadata.getNamespace())
                                    .withUid(metadata.getUid())
                                    .withResourceVersion(metadata.getResourceVersion())
                                    .build())
                            .build())
                    .create();
            return true;
        } catch (KubernetesClientException e) {
            var status = e.getStatus();
            var said = status == null || status.getMessage() == null ? e.toString() : status.getMessage();
            log.warn("event about {} {} was not written: {}", about.getKind(), metadata.getName(), said);
            return false;
        }
    }

    /** Truncates a text to a number of UTF-8 bytes, which the API server counts. Text from users can contain characters that are not ASCII. */
    static String shortened(String text, int mostBytes) {
        if (text.getBytes(UTF_8).length <= mostBytes) {
            return text;
        }
        var shortened = new StringBuilder();
        int bytes = 0;
        for (int c : text.codePoints().limit(mostBytes).toArray()) {
            bytes += Character.toString(c).getBytes(UTF_8).length;
            if (bytes > mostBytes) {
                break;
            }
            shortened.appendCodePoint(c);
        }
        return shortened.toString();
    }
}
