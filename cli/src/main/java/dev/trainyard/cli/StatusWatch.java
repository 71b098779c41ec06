package dev.trainyard.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;

/** A loop that prints the status of a cluster. Retries if the cluster cannot be read, and ends if the output is closed. */
final class StatusWatch {

    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_BELOW = "\033[J";

    /** The position of the next status. */
    enum Place {
        /** Over the previous status, on a terminal. */
        SAME,
        /** Below the previous status. */
        NEXT
    }

    /** A source of the status, as text. */
    @FunctionalInterface
    interface Status {
        /**
         * Reads the status.
         *
         * @throws KubernetesClientException if the cluster cannot be read; the loop prints the problem and retries
         */
        String get() throws InterruptedException;
    }

    /** The pause between two statuses. */
    @FunctionalInterface
    interface Pause {
        /**
         * Waits until the status must be read again.
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

    /** Prints statuses until {@code pause} returns false or the output is closed. */
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

    /** Prints {@code text} over the previous status without clearing the screen first, which would flicker. */
    private void print(String text) {
        if (place == Place.SAME) {
            out.print(HOME + text.replace("\n", CLEAR_LINE + "\n") + CLEAR_BELOW);
        } else {
            out.print(text);
        }
    }
}
