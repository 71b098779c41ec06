package dev.trainyard.scaler.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sender of notices to an incoming webhook, in the format of Slack and Mattermost: JSON with the member {@code text}. One thread sends
 * from a bounded queue. An equal message is sent at most once in half an hour. The URL is a secret and appears in no message. Thread-safe.
 */
public final class WebhookNotices implements Notices, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WebhookNotices.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    static final Duration QUIET = Duration.ofMinutes(30);
    private static final int REMEMBERED = 1_000;
    private static final int QUEUED = 100;
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final URI url;
    private final Clock clock;
    private final HttpClient http;
    private final ThreadPoolExecutor sender;
    /** Whether the last post failed. Used only by the sender thread. */
    private boolean failing;

    private final Map<String, Instant> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > REMEMBERED;
        }
    };

    public WebhookNotices(URI url, Clock clock) {
        this.url = url;
        this.clock = clock;
        this.http = HttpClient.newBuilder().connectTimeout(DEADLINE).build();
        this.sender = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUED), task -> {
            var thread = new Thread(task, "notices");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void tell(String what, Collection<String> pods) {
        if (!isNews(what)) {
            return;
        }
        var text = pods.isEmpty() ? what : "%s\nPods: %s".formatted(what, Notices.list(pods));
        try {
            sender.execute(() -> send(text));
        } catch (RejectedExecutionException e) {
            log.debug("too many notices are queued; the newest notice is not sent");
        }
    }

    /**
     * Whether the message was not sent lately. Only the message is compared, not the list of pods. So if a pool grows or fails repeatedly
     * for the same reason, only one notice is sent.
     */
    private synchronized boolean isNews(String what) {
        var now = clock.instant();
        var before = said.get(what);
        if (before != null && Duration.between(before, now).compareTo(QUIET) < 0) {
            return false;
        }
        said.remove(what);
        said.put(what, now);
        return true;
    }

    private void send(String text) {
        try {
            var body = JSON.writeValueAsString(Map.of("text", text));
            var request = HttpRequest.newBuilder(url)
                    .timeout(DEADLINE)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(body))
                    .build();
            int status = http.send(request, BodyHandlers.discarding()).statusCode();
            if (status / 100 == 2) {
                failing = false;
            } else {
                failed("the webhook answered " + status);
            }
        } catch (JsonProcessingException e) {
            failed(e.getOriginalMessage());
        } catch (IOException e) {
            // The message may contain the URL.
            failed(e.getClass().getSimpleName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String why) {
        if (!failing) {
            log.warn(
                    "posting a notice to the incoming webhook failed: {}; further failures are not logged until a notice succeeds",
                    why);
        }
        failing = true;
    }

    /** Sends the queued notices, for at most two seconds. */
    @Override
    public void close() {
        sender.shutdown();
        try {
            if (!sender.awaitTermination(2, TimeUnit.SECONDS)) {
                sender.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
