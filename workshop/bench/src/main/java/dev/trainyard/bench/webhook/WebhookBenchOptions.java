package dev.trainyard.bench.webhook;

import java.time.Duration;
import java.util.List;

/**
 * How {@link WebhookBench} measures.
 *
 * @param jvm program and options that start a JVM for a component, its class path included
 * @param webhook the rest of the command line that starts the webhook: main class and command
 * @param bodies lengths of reviews, in bytes
 * @param connections how many are kept busy; each number is measured on its own
 * @param rounds how often floor and webhook take turns for each figure; medians of the rounds are reported
 * @param round how long each of the two is under load in a round
 * @param warmUp how long each of the two is under load at most, with each kind of pod, before anything is measured
 * @param starts how often the webhook is started for the figures about its start
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
            throw new IllegalArgumentException("--seconds: expected a number above 0");
        }
    }

    /** All bodies, 1 to 64 connections: about five minutes. */
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

    /** One body, one number of connections: about half a minute. */
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
     * @param time of one round for each of the two; the warm-up becomes thirty times that, if that is less than it was
     */
    public WebhookBenchOptions withRound(Duration time) {
        var shorter = time.multipliedBy(30).compareTo(warmUp) < 0 ? time.multipliedBy(30) : warmUp;
        return new WebhookBenchOptions(jvm, webhook, bodies, connections, rounds, time, shorter, starts);
    }
}
