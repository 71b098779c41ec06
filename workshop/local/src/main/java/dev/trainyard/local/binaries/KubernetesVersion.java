package dev.trainyard.local.binaries;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The Kubernetes versions that a control plane can be had in. They are pinned in {@code local/control-plane}. */
public enum KubernetesVersion {
    CURRENT("1.36.3", "go.mod"),
    /** The oldest one that Trainyard is tested with. */
    OLDER("1.32.2", "go-1.32.mod");

    private final String full;
    private final String goModule;

    KubernetesVersion(String full, String goModule) {
        this.full = full;
        this.goModule = goModule;
    }

    /**
     * Reads a minor version such as {@code 1.36}, or a full one.
     *
     * @throws IllegalArgumentException naming the versions that there are
     */
    public static KubernetesVersion parse(String text) {
        return Arrays.stream(values())
                .filter(version -> text.equals(version.minor()) || text.equals(version.full))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Kubernetes version \"" + text
                        + "\" is not one that a local control plane can be had in; choose one of "
                        + Arrays.stream(values()).map(KubernetesVersion::minor).collect(Collectors.joining(", "))));
    }

    /** Such as {@code 1.36.3}. */
    public String full() {
        return full;
    }

    /** Such as {@code 1.36}. */
    public String minor() {
        return full.substring(0, full.lastIndexOf('.'));
    }

    /** The file in {@code local/control-plane} that pins it. */
    String goModule() {
        return goModule;
    }

    @Override
    public String toString() {
        return full;
    }
}
