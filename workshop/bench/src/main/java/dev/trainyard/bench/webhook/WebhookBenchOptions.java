package dev.trainyard.bench.webhook;

import java.time.Duration;
import java.util.List;

/**
 * The options of {@link WebhookBench}, which compares the webhook with a minimal server, the floor.
 *
 * @param jvm program and options that start a JVM with the class path of a component
 * @param webhook the rest of the command line that starts the webhook: main class and command
 * @param bodies lengths of reviews, in bytes
 * @param connections numbers of busy connections; each number is measured separately
 * @param rounds number of rounds for each figure; floor and webhook take turns within each round
 * @param round how long each server is under load in a round; also the length of a warm-up round
 * @param warmUp maximum time of warm-up load on each server, with each kind of pod
 * @param starts how often the webhook is started to measure the time and memory of a start
 */
public record WebhookBenchOptions(
        List<String> jvm,
        List<String> webhook,
        List<Integer> bodies,
        List<Integer> connections,
        int rounds,
        Duration round,
        Duration warmUp,
        int starts) {

    private static final int KIB = 1024;
    private static final int MOST_CONNECTIONS = 1000;

    public WebhookBenchOptions {
        jvm = List.copyOf(jvm);
        webhook = List.copyOf(webhook);
        bodies = List.copyOf(bodies);
        connections = List.copyOf(connections);
        for (int count : connections) {
            if (count < 1 || count > MOST_CONNECTIONS) {
                throw new IllegalArgumentException(
                        "--connections: %d is not a number from 1 to %d".formatted(count, MOST_CONNECTIONS));
            }
        }
        if (round.toMillis() < 1) {
            throw new IllegalArgumentException("--seconds: expected at least 0.001");
        }
    }

    /** Returns the options of a full run: bodies of 4, 16 and 64 KiB, 1 to 64 connections, about five minutes. */
    public static WebhookBenchOptions full(List<String> jvm, List<String> webhook) {
        return new WebhookBenchOptions(
                jvm,
                webhook,
                List.of(4 * KIB, 16 * KIB, 64 * KIB),
                List.of(1, 16, 64),
                5,
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                5);
    }

    /** Returns the options of a quick run: one body length, one number of connections, about a minute. */
    public static WebhookBenchOptions quick(List<String> jvm, List<String> webhook) {
        return new WebhookBenchOptions(
                jvm, webhook, List.of(4 * KIB), List.of(16), 3, Duration.ofSeconds(1), Duration.ofSeconds(30), 2);
    }

    public WebhookBenchOptions withConnections(List<Integer> counts) {
        return new WebhookBenchOptions(jvm, webhook, bodies, counts, rounds, round, warmUp, starts);
    }

    /**
     * Returns these options with another duration of a round.
     *
     * @param time time under load of each server in a round; the warm-up is shortened to at most thirty times this time
     */
    public WebhookBenchOptions withRound(Duration time) {
        var shorter = time.multipliedBy(30).compareTo(warmUp) < 0 ? time.multipliedBy(30) : warmUp;
        return new WebhookBenchOptions(jvm, webhook, bodies, connections, rounds, time, shorter, starts);
    }
}
