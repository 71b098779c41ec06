package dev.trainyard.local.binaries;

import dev.trainyard.local.binaries.ReleaseFiles.ReleaseFile;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The published checksums of several files, requested in parallel. Missing answers also show that the network or a host is down. */
final class ChecksumRequests {
    private final Map<URI, Checksums> answers = new LinkedHashMap<>();
    private final Set<String> failures = new LinkedHashSet<>();

    private ChecksumRequests() {}

    /** Requests all checksums, and waits at most {@code timeout} for the answers, including name resolution. */
    static ChecksumRequests with(Collection<ReleaseFile> files, DownloadBase base, Fetch fetch, Duration timeout) {
        Map<URI, FutureTask<String>> requests = new LinkedHashMap<>();
        for (ReleaseFile file : files) {
            base.locate(file.checksums())
                    .ifPresent(address -> requests.computeIfAbsent(file.checksums(), ignored -> start(address, fetch)));
        }
        ChecksumRequests contact = new ChecksumRequests();
        long deadline = System.nanoTime() + timeout.toNanos();
        requests.forEach((official, request) -> {
            URI address = base.locate(official).orElse(official);
            try {
                String text = request.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                contact.answers.put(official, new Checksums(text));
            } catch (TimeoutException e) {
                contact.failures.add(
                        "no answer from " + address.getAuthority() + " in " + timeout.toMillis() / 1000.0 + " s");
            } catch (ExecutionException e) {
                contact.failures.add(
                        e.getCause() instanceof Fetch.NotThereException notThere
                                ? String.valueOf(notThere.getMessage())
                                : address.getAuthority() + ": " + describe(e.getCause()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                contact.failures.add("interrupted");
            }
        });
        return contact;
    }

    private static FutureTask<String> start(URI address, Fetch fetch) {
        FutureTask<String> request = new FutureTask<>(() -> fetch.text(address));
        // A daemon thread: name resolution cannot be interrupted, and must not block the end of the JVM.
        Thread thread = new Thread(request, "checksum-" + address.getAuthority());
        thread.setDaemon(true);
        thread.start();
        return request;
    }

    Optional<Checksums> checksums(ReleaseFile file) {
        return Optional.ofNullable(answers.get(file.checksums()));
    }

    /** Returns the distinct failures; several files may have failed for the same reason. */
    Set<String> failures() {
        return failures;
    }

    /** Describes a failure of a host for messages. */
    static String describe(@Nullable Throwable problem) {
        if (problem instanceof UnknownHostException) {
            return "unknown host (no network or no name service)";
        }
        if (problem instanceof SocketTimeoutException) {
            return "stopped answering (" + problem.getMessage() + ")";
        }
        return problem instanceof IOException && problem.getMessage() != null
                ? problem.getMessage()
                : String.valueOf(problem);
    }
}
