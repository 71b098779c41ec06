package dev.trainyard.extender.pod;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the pods that wait for our scheduler, by UID: a pod is read when it is created, not when the scheduler asks about it.
 * Thread-safe, takes no lock to read.
 */
public final class KnownPods implements PodWatcher {

    /** Forgets everything at so many; what is known here is only known faster. */
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
