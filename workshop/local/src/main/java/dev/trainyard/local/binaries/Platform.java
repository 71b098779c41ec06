package dev.trainyard.local.binaries;

import java.util.Locale;

/** An operating system and processor, in Go's terms: {@code linux}, {@code darwin}; {@code amd64}, {@code arm64}. */
record Platform(String os, String arch) {

    static Platform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Platform of(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch = osArch.toLowerCase(Locale.ROOT);
        return new Platform(
                os.startsWith("mac") ? "darwin" : os,
                switch (arch) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    default -> arch;
                });
    }

    @Override
    public String toString() {
        return os + "-" + arch;
    }
}
