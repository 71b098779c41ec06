package dev.trainyard.local;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A wait for CustomResourceDefinitions, which the API server serves a moment after their creation. */
public final class Definitions {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Definitions() {}

    /**
     * Waits until objects of these kinds can be created. Replaces {@code kubectl wait}, which fails at once for a definition that has no
     * conditions yet (kubernetes/kubernetes#66439).
     *
     * @param names the names of the definitions, such as {@code trainingpools.trainyard.dev}
     * @throws io.fabric8.kubernetes.client.KubernetesClientException if the wait takes longer than a minute
     */
    public static void awaitEstablished(KubernetesClient client, String... names) {
        for (var name : names) {
            client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(name)
                    .waitUntilCondition(Definitions::isEstablished, TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static boolean isEstablished(@Nullable CustomResourceDefinition definition) {
        return Stream.ofNullable(definition)
                .flatMap(present -> Stream.ofNullable(present.getStatus()))
                .flatMap(status -> Stream.ofNullable(status.getConditions()))
                .flatMap(List::stream)
                .anyMatch(condition -> condition.getType().equals("Established")
                        && condition.getStatus().equals("True"));
    }
}
