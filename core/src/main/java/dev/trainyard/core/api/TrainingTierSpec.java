package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.trainyard.core.Durations;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an administrator says of a tier. Absent members have the defaults of {@link dev.trainyard.core.tier.Tier}. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "self.pools.all(name, self.pools.exists_one(other, other == name))",
        message = "pools must be named once each",
        fieldPath = ".pools")
@ValidationRule(
        value = "!has(self.fallbackAfter) || duration(self.fallbackAfter) > duration('0s')",
        message = "fallbackAfter must be more than no time",
        fieldPath = ".fallbackAfter")
public record TrainingTierSpec(
        @Required
        @Size(min = 1, max = 16)
        @JsonPropertyDescription("Names of the pools that may run this training, the preferred one first.")
        List<@Size(min = 1, max = 63) String> pools,

        @Pattern(Durations.PATTERN)
        @Default("3m")
        @JsonPropertyDescription("No node from the preferred pool by then: the next one is asked, such as 3m.")
        @Nullable
        String fallbackAfter,

        @JsonProperty("default")
        @JsonPropertyDescription("Which pods without an annotation belong to this tier. Absent: none.")
        @Nullable
        DefaultFor defaultFor,

        @JsonPropertyDescription("How containers that ask for a GPU get at its driver.") @Nullable
        DriverSpec driver) {

    /** A rule for pods that name no tier. */
    public record DefaultFor(@Required GpuRange gpus) {}

    /** How many GPUs, both ends included; an absent end is open. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.min) || !has(self.max) || self.max >= self.min",
            message = "max must be at least min",
            fieldPath = ".max")
    public record GpuRange(
            @Min(1) @Nullable Integer min, @Min(1) @Nullable Integer max) {}

    /** See {@link dev.trainyard.core.tier.Driver}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record DriverSpec(
            @Required DriverMode mode,

            @Pattern("^/[^:]*$")
            @Size(max = 256)
            @Default("/usr/lib/nvidia-384")
            @JsonPropertyDescription("Where the driver is on the node.")
            @Nullable
            String root,

            @Size(max = 32)
            @JsonPropertyDescription("Further library files of the node to mount at the same path.")
            @Nullable
            List<String> extraLibraries) {}

    /** How a driver reaches a container. */
    public enum DriverMode {
        /** The node's container runtime or device plugin does it. */
        @JsonProperty("none")
        NONE,
        /** The node's device plugin mounts it; only LD_LIBRARY_PATH is missing. */
        @JsonProperty("libraryPath")
        LIBRARY_PATH,
        /** Mounted from the node's file system, as on the machines of acs-engine. */
        @JsonProperty("hostPath")
        HOST_PATH
    }
}
