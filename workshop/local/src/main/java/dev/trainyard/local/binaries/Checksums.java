package dev.trainyard.local.binaries;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A published text with SHA-256 checksums, in any of three forms: a checksum alone, lines of checksum and file name, or GitHub's
 * description of a release.
 */
record Checksums(String text) {
    private static final Pattern SUM = Pattern.compile("[0-9a-f]{64}");

    /** Returns the checksum of the given file. */
    Optional<String> of(String fileName) {
        String trimmed = text.strip();
        if (SUM.matcher(trimmed).matches()) {
            return Optional.of(trimmed);
        }
        String name = Pattern.quote(fileName);
        return first("(?m)^(" + SUM + ")[ *]+(?:\\./)?" + name + "\\s*$")
                // Matches the first digest after the name. Stops at the next "name", which belongs to another asset.
                .or(() -> first("\"name\"\\s*:\\s*\"" + name + "\"(?:(?!\"name\"\\s*:)[\\s\\S])*?"
                        + "\"digest\"\\s*:\\s*\"sha256:(" + SUM + ")\""));
    }

    private Optional<String> first(String regex) {
        Matcher matcher = Pattern.compile(regex).matcher(text);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }
}
