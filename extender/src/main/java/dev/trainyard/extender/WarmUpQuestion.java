package dev.trainyard.extender;

import io.vertx.core.buffer.Buffer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A request in the scheduler's format, about nodes that do not exist. It warms up the process and changes nothing. */
final class WarmUpQuestion {

    private static final int NODES = 100;

    private WarmUpQuestion() {}

    static Buffer body() {
        var names = IntStream.range(0, NODES)
                .mapToObj(number -> "\"warm-up-%d\"".formatted(number))
                .collect(Collectors.joining(","));
        return Buffer.buffer("""
                {"Pod":{"metadata":{"name":"warm-up","namespace":"warm-up","annotations":{"trainyard.dev/tier":"warm-up"}},
                "spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"500m","memory":"1Gi"},
                "limits":{"nvidia.com/gpu":"1"}}}],"tolerations":[{"operator":"Exists"}]}},
                "Nodes":null,"NodeNames":[%s]}
                """.formatted(names));
    }
}
