package dev.trainyard.extender.pod;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The facts of the pods that wait for our scheduler, by UID. A pod is parsed when the watch reports it, so that an answer to the scheduler
 * need not wait for the parsing. Thread-safe; reads take no lock.
 */
public final class KnownPods implements PodWatcher {

    /** The number of pods at which all facts are forgotten. Forgotten facts are read again from the scheduler's request. */
    private static final int MOST = 50_000;

    private final Map<String, PodFacts> byUid = new ConcurrentHashMap<>();

    public Optional<PodFacts> get(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    public void put(PodFacts pod) {
        if (byUid.size() >= MOST) {
            byUid.clear();
        }
        if (!pod.uid().isEmpty()) {
            byUid.put(pod.uid(), pod);
        }
    }

    @Override
    public void seen(PodFacts pod) {
        if (pod.waits() && pod.isOurs()) {
            put(pod);
        } else {
            byUid.remove(pod.uid());
        }
    }

    @Override
    public void gone(PodFacts last) {
        byUid.remove(last.uid());
    }
}
