package dev.trainyard.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The URL to which the scaler posts notices for people, such as an incoming webhook of Slack. The URL is a secret, so it appears on no
 * command line and in no message.
 */
final class NotifyUrl {

    static final String VARIABLE = "TRAINYARD_NOTIFY_URL";

    private NotifyUrl() {}

    /**
     * Returns the URL in {@code file}, or else the URL in {@code variable}; null if both are missing.
     *
     * @param variable the value of the environment variable {@link #VARIABLE}
     * @throws IllegalArgumentException if the file cannot be read, or the URL is invalid; the message is for the user
     */
    static @Nullable URI of(@Nullable Path file, @Nullable String variable) {
        if (file == null) {
            return variable == null || variable.isBlank() ? null : parse(variable, VARIABLE);
        }
        try {
            return parse(Files.readString(file), "the file " + file);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "--notify-url-file %s cannot be read; name a file that contains only the URL".formatted(file), e);
        }
    }

    private static URI parse(String text, String where) {
        URI url;
        try {
            url = URI.create(text.strip());
        } catch (IllegalArgumentException e) {
            throw noUrl(where);
        }
        if (url.getHost() == null || !("https".equals(url.getScheme()) || "http".equals(url.getScheme()))) {
            throw noUrl(where);
        }
        return url;
    }

    private static IllegalArgumentException noUrl(String where) {
        return new IllegalArgumentException(
                "%s contains no valid URL for notices; expected one URL, such as https://HOST/PATH".formatted(where));
    }
}
