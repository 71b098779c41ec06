package dev.trainyard.scaler.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.runtime.server.Response;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A receiver of reports from the scheduler extender about pods that did not get a node. A report starts a round soon, and explains why its
 * pod is pending. A standby scaler rejects reports, so that the extender sends them to the leader. Thread-safe.
 */
public final class ExtenderReports {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REMEMBERED = 10_000;

    /** How long a report is valid. The scheduler retries pods often, so an older report is outdated. */
    private static final Duration FRESH = Duration.ofMinutes(1);

    private final Runnable wake;
    private volatile boolean leading;
    private final Clock clock;
    private final Map<String, UnplacedPod> byUid = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, UnplacedPod> eldest) {
            return size() > REMEMBERED;
        }
    };

    public ExtenderReports(Runnable wake) {
        this(wake, Clock.systemUTC());
    }

    public ExtenderReports(Runnable wake, Clock clock) {
        this.wake = wake;
        this.clock = clock;
    }

    /** Accepts reports from now on. */
    public void lead() {
        leading = true;
    }

    public Response take(Request request) {
        if (!leading) {
            return Response.text(
                    UnplacedPod.ELSEWHERE, "this scaler is not the leader; send the report again to reach the leader");
        }
        try {
            var pod = JSON.readValue(request.body().getBytes(), UnplacedPod.class);
            remember(pod);
            wake.run();
            return Response.text(202, "taken");
        } catch (JsonProcessingException e) {
            return Response.text(400, "the body is not one UnplacedPod as JSON: " + e.getOriginalMessage());
        } catch (IOException | RuntimeException e) {
            return Response.text(400, "the body is not one UnplacedPod as JSON: " + e.getMessage());
        }
    }

    public void remember(UnplacedPod pod) {
        synchronized (byUid) {
            byUid.values().removeIf(known -> !isFresh(known));
            byUid.remove(pod.uid());
            byUid.put(pod.uid(), pod);
        }
    }

    private boolean isFresh(UnplacedPod pod) {
        return Math.abs(clock.millis() - pod.atMillis()) < FRESH.toMillis();
    }

    /** Returns why the extender left a pod without a node in the last minute, as text; empty if there is no such report. */
    public Optional<String> reasons(String uid) {
        UnplacedPod pod;
        synchronized (byUid) {
            pod = byUid.get(uid);
        }
        return Optional.ofNullable(pod)
                .filter(this::isFresh)
                .map(p -> new TreeMap<>(p.reasons())
                        .entrySet().stream()
                                .map(reason -> reason.getValue() + " " + reason.getKey())
                                .collect(Collectors.joining(", ")))
                .filter(text -> !text.isEmpty());
    }
}
