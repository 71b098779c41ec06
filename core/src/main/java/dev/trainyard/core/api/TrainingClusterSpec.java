package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import org.jspecify.annotations.Nullable;

/** The settings of the whole cluster, which every component reads. An absent member has its default. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingClusterSpec(
        @Default("Never")
        @JsonPropertyDescription(
                "Whether pods that request no GPU may use GPU nodes. Never: not at all. Last: only if no other node "
                        + "fits. Always: like any other node. Pods whose tier names the node's pool may always use the node.")
        @Nullable
        CpuPodsOnGpuNodes cpuPodsOnGpuNodes) {

    /** Whether pods that request no GPU may use GPU nodes. A pod whose tier names the pool of a GPU node may always use the node. */
    public enum CpuPodsOnGpuNodes {
        /** Such pods may not use GPU nodes. The default. */
        @JsonProperty("Never")
        NEVER("Never"),
        /** Such pods may use a GPU node only if no other node fits. The scaler launches no GPU machine for them. */
        @JsonProperty("Last")
        LAST("Last"),
        /** Such pods may use GPU nodes like any other node. */
        @JsonProperty("Always")
        ALWAYS("Always");

        private final String word;

        CpuPodsOnGpuNodes(String word) {
            this.word = word;
        }

        /** Returns the value as users write it. */
        @Override
        public String toString() {
            return word;
        }
    }
}
