package dev.trainyard.workshop.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Timer;
import java.util.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * The text output of the demo: lines and, on a terminal, a status line below them. Equal events of several objects within a short time are
 * shown as one line. Thread-safe.
 */
final class Screen implements AutoCloseable {

    private static final long FOLD_MILLIS = 400;
    /** The maximum length of the status line, in characters. A longer line would wrap, and a wrapped line cannot be erased. */
    private static final int STATUS_WIDTH = 79;

    private final PrintStream out;
    private final boolean terminal;
    private @Nullable Timer timer;
    private @Nullable TimelineEvent pending;
    private int pendingCount;
    private String status = "";

    /** @param terminal whether {@code out} supports colours and can erase a line */
    Screen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Starts a timer that shows each event after a short delay. Without the timer, an event is shown when the next one arrives. */
    synchronized void live() {
        timer = new Timer("screen", true);
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        tick();
                    }
                },
                FOLD_MILLIS,
                FOLD_MILLIS);
    }

    synchronized void line(String text) {
        flush();
        print(text);
    }

    synchronized void heading(String text) {
        flush();
        print("");
        print(terminal ? "\033[1m" + text + "\033[0m" : text);
    }

    synchronized void command(String command) {
        flush();
        print(terminal ? "\033[36m$ " + command + "\033[0m" : "$ " + command);
    }

    /** Prints the output of a command. */
    synchronized void output(String text) {
        flush();
        text.lines().forEach(line -> print("  " + line));
    }

    synchronized void happening(TimelineEvent happening) {
        if (pending != null
                && pending.who().equals(happening.who())
                && pending.what().equals(happening.what())
                && kind(pending.object()).equals(kind(happening.object()))
                && happening.at().minus(pending.at()).toMillis() < FOLD_MILLIS) {
            pendingCount++;
            return;
        }
        flush();
        pending = happening;
        pendingCount = 1;
    }

    /** Shows on a terminal what the demo is waiting for. */
    synchronized void waitingFor(String what) {
        if (terminal) {
            clearStatus();
            status = "  ... " + what;
            out.print(status.length() <= STATUS_WIDTH ? status : status.substring(0, STATUS_WIDTH));
            out.flush();
        }
    }

    @Override
    public synchronized void close() {
        if (timer != null) {
            timer.cancel();
        }
        flush();
        clearStatus();
    }

    private synchronized void tick() {
        flush();
    }

    private void flush() {
        var happening = pending;
        if (happening != null) {
            pending = null;
            print(format(happening, pendingCount));
        }
    }

    private static String format(TimelineEvent happening, int count) {
        var object = count == 1 ? happening.object() : count + " " + kind(happening.object()) + "s";
        return String.format(
                Locale.ROOT,
                "  %6.1fs  %-19s %-38s  %s",
                happening.at().toMillis() / 1000.0,
                happening.who(),
                object,
                happening.what());
    }

    private static String kind(String object) {
        int slash = object.indexOf('/');
        return slash < 0 ? object : object.substring(0, slash);
    }

    private void print(String line) {
        clearStatus();
        out.println(line);
    }

    private void clearStatus() {
        if (!status.isEmpty()) {
            out.print("\r\033[K");
            status = "";
        }
    }
}
