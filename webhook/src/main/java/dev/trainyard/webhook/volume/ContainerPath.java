package dev.trainyard.webhook.volume;

import java.nio.file.Path;

/** Helpers for paths, by the rules of the kubelet and the container runtime. */
public final class ContainerPath {

    private static final Path ROOT = Path.of("/");

    private ContainerPath() {}

    /**
     * Returns the canonical form of {@code path}: without trailing or doubled slashes, {@code .} and {@code ..}. A relative path starts at
     * the root.
     *
     * @throws IllegalArgumentException if the path holds a character that no path may have
     */
    public static String clean(String path) {
        return isClean(path) ? path : ROOT.resolve(path).normalize().toString();
    }

    /** Whether a quick check shows that {@code path} is canonical. Most paths pass the check. */
    private static boolean isClean(String path) {
        return path.startsWith("/") && !path.endsWith("/") && !path.contains("//") && !path.contains("/.");
    }

    /** Whether one path equals or contains the other. */
    static boolean overlap(String clean, String otherClean) {
        return isWithin(clean, otherClean) || isWithin(otherClean, clean);
    }

    /** Whether {@code inner} equals {@code outer} or is below it. */
    static boolean isWithin(String inner, String outer) {
        return outer.equals("/")
                || (inner.startsWith(outer)
                        && (inner.length() == outer.length() || inner.charAt(outer.length()) == '/'));
    }
}
