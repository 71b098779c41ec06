package dev.trainyard.bench.scale;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Percentiles;
import java.util.List;

/**
 * The results of {@link ScaleBench}.
 *
 * @param machine CPUs, operating system and Java
 * @param kubernetes version such as {@code 1.36.3}
 * @param fixedNodes number of nodes that exist all the time
 * @param elasticNodes largest number of nodes that come and go
 * @param pods number of pods that came and went
 * @param seconds time in which the pods were to be created
 * @param setUpSeconds time until all fixed nodes were usable
 * @param secondsToLastEnd time from the first pod's creation until the last pod had ended
 * @param startMillis time from a pod's creation until it ran; its resolution is a second
 */
public record ScaleReport(
        String machine,
        String kubernetes,
        int fixedNodes,
        int elasticNodes,
        int pods,
        double seconds,
        double setUpSeconds,
        double secondsToLastEnd,
        Percentiles startMillis,
        ServerFigures servers,
        List<ComponentReport> components) {

    public ScaleReport {
        components = List.copyOf(components);
    }

    @JsonProperty
    public List<GrowthTarget> targets() {
        return components.stream()
                .flatMap(component -> component.targets().stream())
                .toList();
    }
}
