package dev.trainyard.local.binaries;

import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where official files are fetched from: their own addresses, or a mirror that has each below its official address
 * without {@code https://}, as {@code wget -x} lays them out, or nowhere.
 */
final class DownloadBase {
    private static final String NONE = "none";

    private final boolean off;
    private final @Nullable String mirror;

    private DownloadBase(boolean off, @Nullable String mirror) {
        this.off = off;
        this.mirror = mirror;
    }

    /** Reads {@code TRAINYARD_DOWNLOAD_BASE}: not set, {@code none}, or the mirror's address. */
    static DownloadBase from(@Nullable String value) {
        if (value == null || value.isBlank()) {
            return new DownloadBase(false, null);
        }
        if (value.equals(NONE)) {
            return new DownloadBase(true, null);
        }
        if (!value.startsWith("https://") && !value.startsWith("http://")) {
            throw new IllegalArgumentException(BinarySource.DOWNLOAD_BASE + " is \"" + value
                    + "\"; expected the http(s) address of a mirror, or none");
        }
        return new DownloadBase(false, value.replaceAll("/+$", ""));
    }

    /** The address to fetch this official one from; empty when nothing may be fetched. */
    Optional<URI> locate(URI official) {
        if (off) {
            return Optional.empty();
        }
        return Optional.of(
                mirror == null ? official : URI.create(mirror + "/" + official.getAuthority() + official.getPath()));
    }
}
