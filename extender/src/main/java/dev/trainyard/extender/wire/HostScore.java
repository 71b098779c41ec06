package dev.trainyard.extender.wire;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One element of the answer to {@code prioritize}: {@code HostPriority} of {@code k8s.io/kube-scheduler/extender/v1}.
 *
 * @param score {@value #WORST} to {@value #BEST}; a whole number, since the scheduler silently drops an answer with any other
 */
public record HostScore(
        @JsonProperty("Host") String host,
        @JsonProperty("Score") int score) {

    public static final int BEST = 10;
    public static final int WORST = 0;
}
