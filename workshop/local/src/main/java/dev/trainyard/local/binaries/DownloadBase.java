package dev.trainyard.local.binaries;

import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The source of official files: their official addresses, a mirror, or none. The path of a file on a mirror is its official address without
 * {@code https://}, as {@code wget -x} creates it.
 */
final class DownloadBase {
    private static final String NONE = "none";

    private final boolean off;
    private final @Nullable String mirror;

    private DownloadBase(boolean off, @Nullable String mirror) {
        this.off = off;
        this.mirror = mirror;
    }

    /** Parses {@code TRAINYARD_DOWNLOAD_BASE}: unset, {@code none}, or the mirror's address. */
    static DownloadBase from(@Nullable String value) {
        if (value == null || value.isBlank()) {
            return new DownloadBase(false, null);
        }
        if (value.equals(NONE)) {
            return new DownloadBase(true, null);
        }
        if (!value.startsWith("https://") && !value.startsWith("http://")) {
            throw new IllegalArgumentException(BinarySource.DOWNLOAD_BASE + " is \"" + value
                    + "\"; expected the address of a mirror (http:// or https://), or the word none");
        }
        return new DownloadBase(false, value.replaceAll("/+$", ""));
    }

    /** Returns the download address for an official address; empty if downloads are off. */
    Optional<URI> locate(URI official) {
        if (off) {
            return Optional.empty();
        }
        return Optional.of(
                mirror == null ? official : URI.create(mirror + "/" + official.getAuthority() + official.getPath()));
    }
}
