package dev.trainyard.bench.scale;

import dev.trainyard.bench.measure.MetricsPage;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests that the API server has accepted, by the FlowSchemas of the benchmark.
 *
 * @param bySchema number of requests by the name of the FlowSchema
 */
record ApiCalls(Map<String, Double> bySchema) {

    private static final String PREFIX = "scale-";
    private static final String CLOUD = "cloud";
    private static final List<String> CLIENTS =
            List.of(CLOUD, ScaleSubject.WEBHOOK, ScaleSubject.EXTENDER, ScaleSubject.SCALER);

    ApiCalls {
        bySchema = Map.copyOf(bySchema);
    }

    static ApiCalls read(KubernetesClient client) {
        var page = new MetricsPage(client.raw("/metrics"));
        var calls = new HashMap<String, Double>();
        for (var name : CLIENTS) {
            calls.put(
                    name,
                    page.sum(
                            "apiserver_flowcontrol_dispatched_requests_total",
                            "flow_schema=\"" + PREFIX + name + "\""));
        }
        return new ApiCalls(calls);
    }

    ApiCalls since(ApiCalls before) {
        var difference = new HashMap<String, Double>();
        bySchema.forEach((name, calls) -> difference.put(name, calls - before.bySchema.getOrDefault(name, 0.0)));
        return new ApiCalls(difference);
    }

    /** Returns the requests of a component, without those with which the scaler simulates its cloud. */
    double of(String component) {
        return bySchema.getOrDefault(component, 0.0);
    }

    double ofSimulatedCloud() {
        return of(CLOUD);
    }
}
