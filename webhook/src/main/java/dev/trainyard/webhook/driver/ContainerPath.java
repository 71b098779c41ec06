package dev.trainyard.webhook.driver;

import java.nio.file.Path;

/** Paths as the kubelet and the container runtime take them. */
final class ContainerPath {

    private static final Path ROOT = Path.of("/");

    private ContainerPath() {}

    /**
     * The one spelling of {@code path}: without a slash at its end, doubled ones, {@code .} and {@code ..}; a relative one starts at the
     * root.
     *
     * @throws IllegalArgumentException when it holds a character that no path may have
     */
    static String clean(String path) {
        return isClean(path) ? path : ROOT.resolve(path).normalize().toString();
    }

    /** Most are. */
    private static boolean isClean(String path) {
        return path.startsWith("/") && !path.endsWith("/") && !path.contains("//") && !path.contains("/.");
    }

    /** Whether one is the other, or is inside it. */
    static boolean overlap(String clean, String otherClean) {
        return isWithin(clean, otherClean) || isWithin(otherClean, clean);
    }

    /** Whether {@code inner} is {@code outer}, or is inside it. */
    static boolean isWithin(String inner, String outer) {
        return outer.equals("/")
                || (inner.startsWith(outer)
                        && (inner.length() == outer.length() || inner.charAt(outer.length()) == '/'));
    }
}
