package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.trainyard.core.Durations;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings of the whole cluster, which every component reads. An absent member has its default. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingClusterSpec(
        @Default("Never")
        @JsonPropertyDescription(
                "Whether pods that request no GPU may use GPU nodes. Never: not at all. Last: only if no other node "
                        + "fits. Always: like any other node. Pods whose tier names the node's pool may always use the node.")
        @Nullable
        CpuPodsOnGpuNodes cpuPodsOnGpuNodes,

        @Size(max = 32)
        @JsonPropertyDescription(
                "Signs on nodes by which other tools announce that a machine will be gone or is broken, in addition to the built-in signs "
                        + "of AWS, Azure, Google Cloud and NVIDIA. A sign that is built in too replaces the built-in one.")
        @Nullable
        List<NoticeSpec> notices,

        @Size(max = 8)
        @JsonPropertyDescription(
                "Queues in which a cloud announces that machines will be gone. The scaler writes each notice on the machine's node.")
        @Nullable
        List<NoticeQueueSpec> noticeQueues) {

    /** Creates settings without own notices and queues. */
    public TrainingClusterSpec(@Nullable CpuPodsOnGpuNodes cpuPodsOnGpuNodes) {
        this(cpuPodsOnGpuNodes, null, null);
    }

    /** A queue of a cloud's notices. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NoticeQueueSpec(
            @Required
            @Pattern(NoticeQueueSpec.SQS_URL)
            @JsonPropertyDescription(
                    "URL of an SQS queue with events of EventBridge, such as https://sqs.eu-west-1.amazonaws.com/123456789012/trainyard-cluster.")
            @Nullable
            String sqs,

            @Default("Keep")
            @JsonPropertyDescription(
                    "What happens to messages that concern no node of this cluster. Keep: they stay in the queue, for other clusters that "
                            + "use the same queue. Delete: they are deleted.")
            @Nullable
            OtherMessages otherMessages) {

        /** The form of an SQS queue's URL. The first group is the region. */
        public static final String SQS_URL =
                "^https://sqs(?:-fips)?[.]([a-z]{2,4}(?:-[a-z]+)+-[0-9])[.][a-z0-9.-]+/[0-9]{12}/[A-Za-z0-9_-]{1,80}$";
    }

    /** What happens to messages in a queue that concern no node of this cluster. */
    public enum OtherMessages {
        @JsonProperty("Keep")
        KEEP("Keep"),
        @JsonProperty("Delete")
        DELETE("Delete");

        private final String word;

        OtherMessages(String word) {
            this.word = word;
        }

        /** Returns the value as users write it. */
        @Override
        public String toString() {
            return word;
        }
    }

    /** A sign on nodes, and its meaning. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "(has(self.taint) ? 1 : 0) + (has(self.condition) ? 1 : 0) + (has(self.annotation) ? 1 : 0)"
                    + " + (has(self.label) ? 1 : 0) == 1",
            message = "exactly one of taint, condition, annotation and label must be set")
    @ValidationRule(
            value = "!has(self.startsWith) || !has(self.taint)",
            message = "startsWith is only for conditions, annotations and labels",
            fieldPath = ".startsWith")
    @ValidationRule(
            value = "!has(self.status) || has(self.condition) || self.status == 'True'",
            message = "status is only for conditions",
            fieldPath = ".status")
    @ValidationRule(
            value =
                    "!has(self.condition) || !(self.condition in ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', "
                            + "'NetworkUnavailable'])",
            message =
                    "condition must not be one of Kubernetes' own: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable",
            fieldPath = ".condition")
    public record NoticeSpec(
            @Size(min = 1, max = 317) @JsonPropertyDescription("Key of a taint.") @Nullable
            String taint,

            @Size(min = 1, max = 316) @JsonPropertyDescription("Type of a condition.") @Nullable
            String condition,

            @Size(min = 1, max = 317) @JsonPropertyDescription("Key of an annotation.") @Nullable
            String annotation,

            @Size(min = 1, max = 317) @JsonPropertyDescription("Key of a label.") @Nullable
            String label,

            @Default("True")
            @JsonPropertyDescription(
                    "The status with which the condition is a sign, in quotation marks: \"True\" or \"False\".")
            @Nullable
            SignStatus status,

            @Size(max = 16)
            @JsonPropertyDescription(
                    "Beginnings of the condition's message, or of the value of the annotation or label. With another text, the sign "
                            + "means nothing.")
            @Nullable
            List<@Size(min = 1, max = 253) String> startsWith,

            @Default("Reclaim")
            @JsonPropertyDescription(
                    "What the sign announces. Reclaim: the machine will be gone; the node is drained. Checkpoint: the machine may be gone "
                            + "soon; trainings are asked to save their state. Sick: the machine is broken; it is replaced as "
                            + "scaleDown.sick of its pool says. Nothing: the sign is ignored.")
            @Nullable
            NoticeMeaning meaning,

            @Pattern(Durations.PATTERN)
            @Default("2m")
            @JsonPropertyDescription(
                    "Time from the sign until the machine is gone, such as 30s, if the text of the sign states no time. With the "
                            + "meaning Sick: how long the sign must last until the machine counts as sick.")
            @Nullable
            String lead) {}

    /** The status with which a condition is a sign. */
    public enum SignStatus {
        @JsonProperty("True")
        TRUE("True"),
        @JsonProperty("False")
        FALSE("False");

        private final String word;

        SignStatus(String word) {
            this.word = word;
        }

        /** Returns the value as users and conditions write it. */
        @Override
        public String toString() {
            return word;
        }
    }

    /** The meaning of a sign on a node. */
    public enum NoticeMeaning {
        @JsonProperty("Reclaim")
        RECLAIM("Reclaim"),
        @JsonProperty("Checkpoint")
        CHECKPOINT("Checkpoint"),
        @JsonProperty("Sick")
        SICK("Sick"),
        @JsonProperty("Nothing")
        NOTHING("Nothing");

        private final String word;

        NoticeMeaning(String word) {
            this.word = word;
        }

        /** Returns the value as users write it. */
        @Override
        public String toString() {
            return word;
        }
    }

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
