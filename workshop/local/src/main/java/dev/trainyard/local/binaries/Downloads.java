package dev.trainyard.local.binaries;

import dev.trainyard.local.binaries.ReleaseFiles.ReleaseFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Downloads of official releases, directly or from a mirror. Every file is checked against its published SHA-256 before it gets its final
 * name.
 *
 * <p>All checksums are requested first, in parallel and with one short deadline, to detect a missing network within seconds. After a
 * connection failure, a host is not called again.
 */
final class Downloads implements BinaryProvider {
    private static final Duration FIRST_CONTACT = Duration.ofSeconds(5);

    private final DownloadBase base;
    private final Platform platform;
    private final Fetch fetch;
    private final Duration firstContact;
    private final ProgressListener progress;

    Downloads(DownloadBase base, Platform platform, ProgressListener progress) {
        this(base, platform, Fetch.STANDARD, FIRST_CONTACT, progress);
    }

    Downloads(DownloadBase base, Platform platform, Fetch fetch, Duration firstContact, ProgressListener progress) {
        this.base = base;
        this.platform = platform;
        this.fetch = fetch;
        this.firstContact = firstContact;
        this.progress = progress;
    }

    @Override
    public String name() {
        return "download of the official releases";
    }

    @Override
    public Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) throws IOException {
        if (!platform.os().equals("linux")) {
            return Optional.of("Kubernetes publishes no server binaries for " + platform);
        }
        Map<Binary, ReleaseFile> wanted = new LinkedHashMap<>();
        missing.forEach(binary -> wanted.put(binary, ReleaseFiles.of(binary, version, platform)));
        Optional<URI> first = wanted.values().stream().findFirst().flatMap(file -> base.locate(file.checksums()));
        if (first.isEmpty()) {
            return Optional.of("turned off by " + BinarySource.DOWNLOAD_BASE + "=none");
        }
        progress.step("Looking for released binaries of Kubernetes " + version);
        ChecksumRequests contact = ChecksumRequests.with(wanted.values(), base, fetch, firstContact);
        Set<String> failures = new LinkedHashSet<>(contact.failures());
        Set<String> deadHosts = new HashSet<>();
        wanted.forEach((binary, file) -> contact.checksums(file).ifPresent(checksums -> {
            URI address = base.locate(file.file()).orElseThrow();
            if (deadHosts.contains(address.getAuthority())) {
                return;
            }
            try {
                download(binary, version, file, address, checksums, into);
            } catch (Fetch.NotThereException | WrongFileException e) {
                failures.add(String.valueOf(e.getMessage()));
            } catch (IOException e) {
                deadHosts.add(address.getAuthority());
                failures.add(binary.fileName() + " from " + address + ": " + ChecksumRequests.describe(e));
            }
        }));
        return failures.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", failures));
    }

    private void download(
            Binary binary, KubernetesVersion version, ReleaseFile file, URI address, Checksums checksums, Path into)
            throws IOException {
        String wanted = checksums
                .of(file.name())
                .orElseThrow(() -> new WrongFileException(file.checksums() + " has no SHA-256 of " + file.name()));
        String title = "Downloading " + binary.fileName() + " " + binary.version(version);
        progress.step(title);
        Path received = into.resolve(file.name() + ".new");
        Path executable = into.resolve(binary.fileName() + ".checked");
        try {
            String found = fetch.toFile(address, received, new Ticker(title, progress));
            if (!found.equals(wanted)) {
                throw new WrongFileException(address + " has the SHA-256 " + found + ", but " + wanted
                        + " is published for the file; the download was deleted");
            }
            if (file.inArchive().isPresent()) {
                try (InputStream archive = Files.newInputStream(received)) {
                    TarGz.extract(archive, file.inArchive().get(), executable);
                }
            } else {
                Files.move(received, executable, StandardCopyOption.REPLACE_EXISTING);
            }
            if (!executable.toFile().setExecutable(true)) {
                throw new IOException("cannot make " + executable + " executable");
            }
            Files.move(executable, into.resolve(binary.fileName()), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(received);
            Files.deleteIfExists(executable);
        }
    }

    /** An error: a host answered with wrong content. */
    private static final class WrongFileException extends IOException {
        WrongFileException(String message) {
            super(message);
        }
    }

    /** A reporter of the progress of a download, once a second. */
    private static final class Ticker implements Fetch.Received {
        private final String title;
        private final ProgressListener progress;
        private long lastNanos = System.nanoTime();

        Ticker(String title, ProgressListener progress) {
            this.title = title;
            this.progress = progress;
        }

        @Override
        public void bytes(long soFar, long expected) {
            if (System.nanoTime() - lastNanos > 1_000_000_000L) {
                lastNanos = System.nanoTime();
                progress.still(title + ": " + (soFar >> 20) + (expected > 0 ? " of " + (expected >> 20) : "") + " MiB");
            }
        }
    }
}
