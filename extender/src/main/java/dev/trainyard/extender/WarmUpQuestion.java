package dev.trainyard.extender;

import dev.trainyard.extender.wire.ExtenderRequest;
import io.vertx.core.buffer.Buffer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A question such as the scheduler asks, about nodes that do not exist: it warms the process up and changes nothing. */
final class WarmUpQuestion {

    private static final int NODES = 100;

    /** No namespace of a cluster can have this name. */
    private static final String NAMESPACE = "trainyard:warm-up";

    private WarmUpQuestion() {}

    /** Whether it is our own question, which is not to be counted. */
    static boolean isIt(ExtenderRequest question) {
        return NAMESPACE.equals(question.pod().getMetadata().getNamespace());
    }

    static Buffer body() {
        var names = IntStream.range(0, NODES)
                .mapToObj(number -> "\"warm-up-%d\"".formatted(number))
                .collect(Collectors.joining(","));
        return Buffer.buffer("""
                {"Pod":{"metadata":{"name":"warm-up","namespace":"%s","annotations":{"trainyard.dev/tier":"warm-up"}},
                "spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"500m","memory":"1Gi"},
                "limits":{"nvidia.com/gpu":"1"}}}],"tolerations":[{"operator":"Exists"}]}},
                "Nodes":null,"NodeNames":[%s]}
                """.formatted(NAMESPACE, names));
    }
}
