package dev.trainyard.scaler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.runtime.server.Response;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Takes the extender's reports of pods that it left no node for: they wake the loop, and explain. Thread-safe. */
final class Reports {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REMEMBERED = 10_000;

    private final Runnable wake;
    private final Map<String, UnplacedPod> byUid = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, UnplacedPod> eldest) {
            return size() > REMEMBERED;
        }
    };

    Reports(Runnable wake) {
        this.wake = wake;
    }

    Response take(Request request) {
        try {
            var pod = JSON.readValue(request.body().getBytes(), UnplacedPod.class);
            synchronized (byUid) {
                byUid.put(pod.uid(), pod);
            }
            wake.run();
            return Response.text(202, "taken");
        } catch (JsonProcessingException e) {
            return Response.text(400, "expected one UnplacedPod as JSON: " + e.getOriginalMessage());
        } catch (IOException | RuntimeException e) {
            return Response.text(400, "expected one UnplacedPod as JSON: " + e.getMessage());
        }
    }

    /** What the extender last said of a pod, in words. */
    Optional<String> reasons(String uid) {
        UnplacedPod pod;
        synchronized (byUid) {
            pod = byUid.get(uid);
        }
        return Optional.ofNullable(pod)
                .map(p -> new TreeMap<>(p.reasons())
                        .entrySet().stream()
                                .map(reason -> reason.getValue() + " " + reason.getKey())
                                .collect(Collectors.joining(", ")))
                .filter(text -> !text.isEmpty());
    }
}
