package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.process.BenchException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Binding times of the pods of a namespace, by the clock of this program. The watch selects only pods that have a node. The pods' own
 * timestamps have a resolution of a second, which is too coarse.
 */
final class Bindings implements AutoCloseable {

    private final int expected;
    private final Set<String> bound = new HashSet<>(); // this and all fields below are guarded by this
    private @Nullable String end;
    private long first;
    private long last;
    private final Watch watch;

    /** Starts to watch. The caller ensures that no pod has a node yet. */
    @SuppressWarnings("this-escape")
    Bindings(KubernetesClient client, String namespace, int expected) {
        this.expected = expected;
        this.watch = client.pods()
                .inNamespace(namespace)
                .withoutField("spec.nodeName", "")
                .watch(new Watcher<>() {
                    @Override
                    public void eventReceived(Action action, Pod pod) {
                        add(pod.getMetadata().getUid(), System.nanoTime());
                    }

                    @Override
                    public void onClose(WatcherException problem) {
                        end(String.valueOf(problem.getMessage()));
                    }
                });
    }

    private synchronized void add(String uid, long nanos) {
        if (bound.add(uid)) {
            first = bound.size() == 1 ? nanos : first;
            last = nanos;
            notifyAll();
        }
    }

    private synchronized void end(String problem) {
        end = problem;
        notifyAll();
    }

    /**
     * Waits until all pods are bound. Java allows spurious wake-ups, so a wake-up without a new binding does not end the wait.
     *
     * @param timeout maximum time until the next pod is bound
     * @throws BenchException if no pod is bound within that time, or the watch on pods ends
     */
    synchronized void await(Duration timeout) {
        try {
            while (bound.size() < expected) {
                int before = bound.size();
                long deadline = System.nanoTime() + timeout.toNanos();
                while (bound.size() == before && end == null) {
                    long left = deadline - System.nanoTime();
                    if (left <= 0) {
                        throw new BenchException("the scheduler placed %d of %d pods, and then none for %d s"
                                .formatted(before, expected, timeout.toSeconds()));
                    }
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
                if (end != null) {
                    throw new BenchException("the watch on pods ended: " + end);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    /** Returns the time at which the first pod was bound, in {@link System#nanoTime}. */
    synchronized long first() {
        return first;
    }

    /** Returns the time at which the last pod was bound, in {@link System#nanoTime}. */
    synchronized long last() {
        return last;
    }

    @Override
    public void close() {
        watch.close();
    }
}
