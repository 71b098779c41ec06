package dev.trainyard.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;

/** Prints how things stand again and again. A cluster that cannot be asked is asked again; whoever stops reading is not written to. */
final class StatusWatch {

    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_BELOW = "\033[J";

    /** Where the next status goes. */
    enum Place {
        /** Over the last one, on a terminal. */
        SAME,
        /** Below it. */
        NEXT
    }

    /** Reads how things stand, as text. */
    @FunctionalInterface
    interface Status {
        /**
         * Reads the status.
         *
         * @throws KubernetesClientException when it cannot be read; it is told, and asked again
         */
        String get() throws InterruptedException;
    }

    /** Waits between two of them. */
    @FunctionalInterface
    interface Pause {
        /**
         * Waits until the next reading.
         *
         * @return false to stop
         */
        boolean pass() throws InterruptedException;
    }

    private final Status status;
    private final PrintWriter out;
    private final Place place;

    StatusWatch(Status status, PrintWriter out, Place place) {
        this.status = status;
        this.out = out;
        this.place = place;
    }

    /** Returns when there is to be no more, or nobody reads. */
    void run(Pause pause) throws InterruptedException {
        if (place == Place.SAME) {
            out.print(HOME + CLEAR_BELOW);
        }
        do {
            print(now());
            out.flush();
        } while (!out.checkError() && pause.pass());
    }

    private String now() throws InterruptedException {
        try {
            return status.get();
        } catch (KubernetesClientException e) {
            return "The cluster cannot be read, trying again: %s%n".formatted(e.getMessage());
        }
    }

    /** Without a moment in which the screen is empty. */
    private void print(String text) {
        if (place == Place.SAME) {
            out.print(HOME + text.replace("\n", CLEAR_LINE + "\n") + CLEAR_BELOW);
        } else {
            out.print(text);
        }
    }
}
