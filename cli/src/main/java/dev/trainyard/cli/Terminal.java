package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The terminal of this process, if any. */
public final class Terminal {

    /** The size of a terminal in characters. */
    record Size(int rows, int columns) {

        /** The size of terminals that do not report one. */
        static final Size USUAL = new Size(24, 80);

        private static final Pattern STTY = Pattern.compile("(\\d{1,5}) (\\d{1,5})\\s*");

        /** @param told the output of {@code stty size} */
        static Size of(String told) {
            var matcher = STTY.matcher(told);
            if (!matcher.matches()) {
                return USUAL;
            }
            int rows = Integer.parseInt(matcher.group(1));
            int columns = Integer.parseInt(matcher.group(2));
            return rows == 0 || columns == 0 ? USUAL : new Size(rows, columns);
        }
    }

    private static final File DEVICE = new File("/dev/tty");

    private Terminal() {}

    /** Whether this process has a terminal with a movable cursor. Environment variables that force colours have no effect here. */
    static boolean canMoveItsCursor() {
        return canMoveItsCursor(isThere(), System.getenv());
    }

    /** Whether the cursor can be moved. Ignores {@code NO_COLOR} ({@code https://no-color.org}), because the output has no colours. */
    static boolean canMoveItsCursor(boolean isThere, Map<String, String> environment) {
        return isThere && !"dumb".equals(environment.get("TERM"));
    }

    /** Whether input and output are a terminal. */
    public static boolean isThere() {
        return isThere(System.console());
    }

    /**
     * Whether {@code console} is a terminal. From Java 22 on, a console can exist without a terminal, and {@code Console.isTerminal} tells
     * the difference. Earlier versions lack this method; their consoles are terminals.
     */
    private static boolean isThere(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Returns the current size, which changes if the user resizes the window. */
    static Size size() throws InterruptedException {
        try {
            var stty = new ProcessBuilder("stty", "size")
                    .redirectInput(DEVICE)
                    .redirectError(Redirect.DISCARD)
                    .start();
            var told = new String(stty.getInputStream().readAllBytes(), US_ASCII);
            return stty.waitFor(1, TimeUnit.SECONDS) && stty.exitValue() == 0 ? Size.of(told) : Size.USUAL;
        } catch (IOException e) {
            return Size.USUAL;
        }
    }
}
