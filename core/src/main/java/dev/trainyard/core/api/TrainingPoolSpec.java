package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.trainyard.core.Durations;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings of a pool, as an administrator writes them. Absent members have the defaults of {@link dev.trainyard.core.pool.Pool}. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!has(self.min) || self.max >= self.min",
        message = "max must be at least min",
        fieldPath = ".max")
@ValidationRule(
        value = "!has(self.spare) || self.max >= self.spare",
        message = "spare must be at most max",
        fieldPath = ".spare")
@ValidationRule(
        value = "!has(self.provider.azureScaleSet) || self.max <= 1000",
        message = "max must be at most 1000: no scale set can have more machines",
        fieldPath = ".max")
@ValidationRule(
        value = "!has(self.provider.azureScaleSet) || !has(self.provider.azureScaleSet.singlePlacementGroup)"
                + " || !self.provider.azureScaleSet.singlePlacementGroup || self.max <= 100",
        message = "max must be at most 100 with provider.azureScaleSet.singlePlacementGroup",
        fieldPath = ".max")
@ValidationRule(
        value = "!has(self.provisionTimeout) || duration(self.provisionTimeout) > duration('0s')",
        message = "provisionTimeout must be greater than 0s",
        fieldPath = ".provisionTimeout")
public record TrainingPoolSpec(
        @Required @JsonPropertyDescription("The cloud resource behind this pool. Exactly one member must be set.")
        ProviderSpec provider,

        @Required
        @JsonPropertyDescription(
                "spot: cheap, but the cloud can reclaim machines or be out of stock. on-demand: the fallback.")
        CapacityType capacityType,

        @Min(0) @Default("0") @JsonPropertyDescription("Smallest number of machines.") @Nullable
        Integer min,

        @Min(0) @Max(5000) @Default("100") @JsonPropertyDescription("Largest number of machines.") @Nullable
        Integer max,

        @Min(0) @Default("0") @JsonPropertyDescription("Number of idle machines to keep ready.") @Nullable
        Integer spare,

        @Required
        @JsonPropertyDescription(
                "Expected labels, taints and resources of a new node of this pool. The scaler plans with these values, "
                        + "and corrects them once nodes of the pool are in use.")
        PromiseSpec promise,

        @Pattern("^[0-9]{1,6}(\\.[0-9]{1,9})?$")
        @JsonPropertyDescription(
                "Price of one machine per hour, such as \"0.61\". All pools must use the same currency.")
        @Nullable
        String hourlyPrice,

        @Pattern(Durations.PATTERN)
        @Default("15m")
        @JsonPropertyDescription(
                "Longest time from the request for a machine until the machine is usable, such as 15m. A machine that takes longer is removed.")
        @Nullable
        String provisionTimeout,

        @Nullable ScaleDownSpec scaleDown,

        @JsonPropertyDescription("Rules for when a node counts as usable.") @Nullable
        ReadinessSpec readiness) {

    /** Creates a pool without settings for the readiness of its nodes. */
    public TrainingPoolSpec(
            ProviderSpec provider,
            CapacityType capacityType,
            @Nullable Integer min,
            @Nullable Integer max,
            @Nullable Integer spare,
            PromiseSpec promise,
            @Nullable String hourlyPrice,
            @Nullable String provisionTimeout,
            @Nullable ScaleDownSpec scaleDown) {
        this(provider, capacityType, min, max, spare, promise, hourlyPrice, provisionTimeout, scaleDown, null);
    }

    /** The capacity type of machines. Spot machines are cheap, but the cloud can reclaim them. On-demand machines are expensive and permanent. */
    public enum CapacityType {
        @JsonProperty("spot")
        SPOT("spot"),
        @JsonProperty("on-demand")
        ON_DEMAND("on-demand");

        private final String word;

        CapacityType(String word) {
            this.word = word;
        }

        /** Returns the value as users write it. */
        @Override
        public String toString() {
            return word;
        }
    }

    /** Labels, taints and allocatable resources of a node that does not exist yet. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.labels) || !('nvidia.com/gpu.memory' in self.labels)"
                    + " || self.labels['nvidia.com/gpu.memory'].matches('^[0-9]{1,9}$')",
            message = "label nvidia.com/gpu.memory must be a whole number of MiB, such as \"16384\"",
            fieldPath = ".labels")
    @ValidationRule(
            value = "!has(self.allocatable) || !('cpu' in self.allocatable)"
                    + " || (quantity(string(self.allocatable['cpu'])).isGreaterThan(quantity('0'))"
                    + " && !quantity(string(self.allocatable['cpu'])).isGreaterThan(quantity('10k')))",
            message = "allocatable cpu must be more than 0 and at most 10000",
            fieldPath = ".allocatable")
    @ValidationRule(
            value = "!has(self.allocatable) || self.allocatable.all(name, !name.endsWith('gpu')"
                    + " || !quantity(string(self.allocatable[name])).isGreaterThan(quantity('1k')))",
            message = "allocatable GPUs must be at most 1000",
            fieldPath = ".allocatable")
    public record PromiseSpec(
            @Size(max = 64) @Nullable Map<String, String> labels,
            @Size(max = 32) @Nullable List<TaintSpec> taints,

            // With more names, Kubernetes 1.32 rejects the CEL rule about GPUs, because the estimated cost of the rule
            // is too high.
            @Size(max = 15)
            @JsonPropertyDescription(
                    "Resources that pods can use on an empty node, such as cpu: 5800m, nvidia.com/gpu: \"1\".")
            @Nullable
            Map<String, Quantity> allocatable,

            @Size(min = 1, max = 63)
            @Pattern("^[A-Za-z0-9][A-Za-z0-9._-]*$")
            @JsonPropertyDescription(
                    "The cloud's name of the machine size, such as Standard_NC6s_v3 or p3.2xlarge. Values that "
                            + "allocatable and gpu do not state are estimated cautiously from this size.")
            @Nullable
            String instanceType,

            @JsonPropertyDescription(
                    "Kind of the GPUs. Absent values are taken from the promised labels nvidia.com/gpu.product and "
                            + "nvidia.com/gpu.memory, or else from instanceType.")
            @Nullable
            GpuSpec gpu) {

        /** The syntax of amounts in {@code allocatable}: a non-negative Kubernetes quantity without an exponent. */
        public static final String AMOUNT = "^[0-9]{1,18}(\\.[0-9]{1,9})?([KMGTPE]i|[numkMGTPE])?$";
    }

    /** The kind of GPU. See {@link dev.trainyard.core.gpu.GpuKind}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record GpuSpec(
            @Size(min = 1, max = 63)
            @Pattern("[A-Za-z0-9]")
            @JsonPropertyDescription("The name of the GPU, such as Tesla-V100-PCIE-16GB.")
            @Nullable
            String product,

            @Size(max = 32)
            @Pattern("^[0-9]+(\\.[0-9]+)?(Mi|Gi|Ti|M|G|T)$")
            @JsonPropertyDescription("Memory of each GPU, such as 16Gi.")
            @Nullable
            String memory) {}

    /** A taint, as in a node's spec. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "self.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute']",
            message = "effect must be NoSchedule, PreferNoSchedule or NoExecute",
            fieldPath = ".effect")
    public record TaintSpec(
            @Required @Size(min = 1, max = 316) @Pattern(LabelSyntax.KEY)
            String key,

            @Size(max = 63) @Pattern(LabelSyntax.VALUE) @Nullable
            String value,

            @Required @Size(max = 32) String effect) {}

    /** Additional conditions for the readiness of a pool's nodes: {@code docs/node-readiness.md}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ReadinessSpec(
            @Size(max = 32)
            @JsonPropertyDescription(
                    "Keys of taints that a new node has until it is ready for pods, such as example.com/agent-not-ready.")
            @Nullable
            List<@Size(min = 1, max = 316) @Pattern(LabelSyntax.KEY) String> startupTaints,

            @Size(max = 15)
            @JsonPropertyDescription(
                    "Names of resources in promise.allocatable that nodes never report, because a scheduler extender "
                            + "manages them, such as nvidia.com/gpumem.")
            @Nullable
            List<@Size(min = 1, max = 316) @Pattern(LabelSyntax.KEY) String> unreportedResources) {}

    /** The settings for the removal of idle machines and the draining of underused machines. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.billingIncrement) || duration(self.billingIncrement) > duration('0s')",
            message = "billingIncrement must be greater than 0s",
            fieldPath = ".billingIncrement")
    public record ScaleDownSpec(
            @Pattern(Durations.PATTERN)
            @Default("10m")
            @JsonPropertyDescription("A machine is removed after this time without a training pod, such as 10m.")
            @Nullable
            String idleAfter,

            @Pattern("^(0(\\.[0-9]+)?|1(\\.0+)?)$")
            @Default("0.5")
            @JsonPropertyDescription(
                    "A machine may be drained if less than this share of the machine is used, such as \"0.5\". On a "
                            + "GPU machine, only the share of its GPUs counts. With \"0\", no machine is drained for "
                            + "low use.")
            @Nullable
            String utilizationBelow,

            @Pattern(Durations.PATTERN)
            @Default("1h")
            @JsonPropertyDescription(
                    "A machine is not drained if one of its pods was scheduled less than this time ago, such as 1h.")
            @Nullable
            String drainGrace,

            @Pattern(Durations.PATTERN)
            @JsonPropertyDescription(
                    "Length of the steps in which the cloud bills a machine, such as 1h. A machine is removed only in "
                            + "the last sixth of a step. If absent, a machine is removed at any time.")
            @Nullable
            String billingIncrement,

            @JsonPropertyDescription("Rules for the replacement of broken machines.") @Nullable
            SickSpec sick) {

        /** Creates settings with the default rules for broken machines. */
        public ScaleDownSpec(
                @Nullable String idleAfter,
                @Nullable String utilizationBelow,
                @Nullable String drainGrace,
                @Nullable String billingIncrement) {
            this(idleAfter, utilizationBelow, drainGrace, billingIncrement, null);
        }
    }

    /** The rules for the replacement of machines that an agent reports as broken, or that have lost GPUs. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SickSpec(
            @Pattern(Durations.PATTERN)
            @Default("0s")
            @JsonPropertyDescription(
                    "How long a broken machine is kept after its pods have left, such as 24h, so that somebody can examine it. "
                            + "No pod is placed on it. With 0s, the machine is terminated at once.")
            @Nullable
            String keepFor,

            @Pattern(SickSpec.AT_MOST)
            @Default("10%")
            @JsonPropertyDescription(
                    "How many broken machines of the pool may be replaced or kept at a time, such as \"2\" or \"10%\". At least one "
                            + "machine may be. Other broken machines keep their pods until then, and get no new ones.")
            @Nullable
            String atMost) {

        /** The syntax of {@code atMost}: a number of machines, or a percentage of the pool. */
        public static final String AT_MOST = "^([1-9][0-9]{0,3}|([1-9][0-9]?|100)%)$";
    }
}
