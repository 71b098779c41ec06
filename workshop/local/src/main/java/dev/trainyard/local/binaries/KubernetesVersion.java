package dev.trainyard.local.binaries;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The supported Kubernetes versions of a control plane. They are pinned in {@code workshop/local/control-plane}. */
public enum KubernetesVersion {
    CURRENT("1.36.3", "go.mod"),
    /** The oldest version in Trainyard's tests. */
    OLDER("1.32.2", "go-1.32.mod");

    private final String full;
    private final String goModule;

    KubernetesVersion(String full, String goModule) {
        this.full = full;
        this.goModule = goModule;
    }

    /**
     * Parses a minor version such as {@code 1.36}, or a full version such as {@code 1.36.3}.
     *
     * @throws IllegalArgumentException if the version is not supported; the message lists the supported ones
     */
    public static KubernetesVersion parse(String text) {
        return Arrays.stream(values())
                .filter(version -> text.equals(version.minor()) || text.equals(version.full))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Kubernetes version \"" + text
                        + "\" is not available for a local control plane; choose one of "
                        + Arrays.stream(values()).map(KubernetesVersion::minor).collect(Collectors.joining(", "))));
    }

    /** Returns the full version, such as {@code 1.36.3}. */
    public String full() {
        return full;
    }

    /** Returns the minor version, such as {@code 1.36}. */
    public String minor() {
        return full.substring(0, full.lastIndexOf('.'));
    }

    /** Returns the file in {@code workshop/local/control-plane} that pins this version. */
    String goModule() {
        return goModule;
    }

    @Override
    public String toString() {
        return full;
    }
}
