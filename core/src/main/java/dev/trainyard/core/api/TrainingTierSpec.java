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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings of a tier, as an administrator writes them. Absent members have the defaults of {@link dev.trainyard.core.tier.Tier}. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "self.pools.all(name, self.pools.exists_one(other, other == name))",
        message = "pools must not name a pool twice",
        fieldPath = ".pools")
@ValidationRule(
        value = TrainingTierSpec.GROUPS_RULE,
        message = "equallyPreferred must have groups of pools that follow each other in pools",
        fieldPath = ".equallyPreferred")
@ValidationRule(
        value = TrainingTierSpec.ONE_GROUP_RULE,
        message = "equallyPreferred must not name a pool twice",
        fieldPath = ".equallyPreferred")
@ValidationRule(
        value = "!has(self.fallbackAfter) || duration(self.fallbackAfter) > duration('0s')",
        message = "fallbackAfter must be greater than 0s",
        fieldPath = ".fallbackAfter")
public record TrainingTierSpec(
        @Required
        @Size(min = 1, max = 16)
        @JsonPropertyDescription("Names of the pools that may run this training, the preferred one first.")
        List<@Size(min = 1, max = 63) String> pools,

        @Size(min = 1, max = 8)
        @JsonPropertyDescription(
                "Groups of pools that are preferred equally, such as [[a, b]]. The pools of a group follow each other in pools. "
                        + "The pool whose machines are expected to be the cheapest for the pods is asked first.")
        @Nullable
        List<List<String>> equallyPreferred,

        @Pattern(Durations.PATTERN)
        @Default("3m")
        @JsonPropertyDescription("Time to wait for a machine of one pool before the next pool is tried, such as 3m.")
        @Nullable
        String fallbackAfter,

        @JsonProperty("default")
        @JsonPropertyDescription(
                "Pods that belong to this tier if neither they nor their namespace name one. Absent: none.")
        @Nullable
        DefaultFor defaultFor,

        @JsonPropertyDescription("How containers that request a GPU get the driver.") @Nullable
        DriverSpec driver,

        @Default("false")
        @JsonPropertyDescription(
                "Whether trainings of this tier resume from a checkpoint after an interruption. Only trainings that "
                        + "can resume are moved to save a machine.")
        @Nullable
        Boolean resumable,

        @JsonPropertyDescription("What a training gets to save a checkpoint before its machine is removed.") @Nullable
        CheckpointSpec checkpoint,

        @JsonPropertyDescription("What the webhook adds to Jobs whose pods are of this tier.") @Nullable
        JobsSpec jobs,

        @JsonPropertyDescription(
                "When trainings that can resume return from on-demand machines to spot machines of an earlier pool of this "
                        + "tier. Absent: they stay.")
        @Nullable
        ReturnToSpotSpec returnToSpot,

        @Default("false")
        @JsonPropertyDescription(
                "Whether all pods of a gang leave their nodes if the cloud announces the reclaim of one member's machine, or if that "
                        + "machine is broken. Set it for trainings that stop when they lose one member.")
        @Nullable
        Boolean gangsLeaveTogether,

        @Default("parts")
        @JsonPropertyDescription(
                "When the pods of a gang may start. parts: each pod as soon as it has a node. whole: all pods at the same time, as soon as "
                        + "there is room for all of them.")
        @Nullable
        GangStart gangs,

        @Default("false")
        @JsonPropertyDescription(
                "Whether trainings of this tier may state deadlines. If the time is short, such a training gets on-demand machines "
                        + "of this tier first.")
        @Nullable
        Boolean deadlines) {

    /** The CEL rule that the pools of each group of {@code equallyPreferred} follow each other in {@code pools}. */
    public static final String GROUPS_RULE = "!has(self.equallyPreferred) || self.equallyPreferred.all(group,"
            + " group.all(name, name in self.pools) && group.map(name, self.pools.indexOf(name)).max()"
            + " - group.map(name, self.pools.indexOf(name)).min() == group.size() - 1)";

    /** The CEL rule that no pool is in {@code equallyPreferred} twice. */
    public static final String ONE_GROUP_RULE =
            "!has(self.equallyPreferred) || self.equallyPreferred.all(group, group.all(name,"
                    + " self.equallyPreferred.map(other, other.filter(another, another == name).size()).sum() == 1))";

    /** Creates the settings of a tier that states only its pools. */
    public TrainingTierSpec(List<String> pools) {
        this(pools, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** Returns a builder for the settings of a tier. */
    public static Builder builder(List<String> pools) {
        return new Builder(pools);
    }

    /** A builder for the settings of a tier. Settings that are not set, or set to null, are absent. Not thread-safe. */
    public static final class Builder {

        private final List<String> pools;
        private @Nullable List<List<String>> equallyPreferred;
        private @Nullable String fallbackAfter;
        private @Nullable DefaultFor defaultFor;
        private @Nullable DriverSpec driver;
        private @Nullable Boolean resumable;
        private @Nullable CheckpointSpec checkpoint;
        private @Nullable JobsSpec jobs;
        private @Nullable ReturnToSpotSpec returnToSpot;
        private @Nullable Boolean gangsLeaveTogether;
        private @Nullable GangStart gangs;
        private @Nullable Boolean deadlines;

        private Builder(List<String> pools) {
            this.pools = pools;
        }

        public Builder equallyPreferred(@Nullable List<List<String>> value) {
            equallyPreferred = value;
            return this;
        }

        public Builder fallbackAfter(@Nullable String value) {
            fallbackAfter = value;
            return this;
        }

        public Builder defaultFor(@Nullable DefaultFor value) {
            defaultFor = value;
            return this;
        }

        public Builder driver(@Nullable DriverSpec value) {
            driver = value;
            return this;
        }

        public Builder resumable(@Nullable Boolean value) {
            resumable = value;
            return this;
        }

        public Builder checkpoint(@Nullable CheckpointSpec value) {
            checkpoint = value;
            return this;
        }

        public Builder jobs(@Nullable JobsSpec value) {
            jobs = value;
            return this;
        }

        public Builder returnToSpot(@Nullable ReturnToSpotSpec value) {
            returnToSpot = value;
            return this;
        }

        public Builder gangsLeaveTogether(@Nullable Boolean value) {
            gangsLeaveTogether = value;
            return this;
        }

        public Builder gangs(@Nullable GangStart value) {
            gangs = value;
            return this;
        }

        public Builder deadlines(@Nullable Boolean value) {
            deadlines = value;
            return this;
        }

        public TrainingTierSpec build() {
            return new TrainingTierSpec(
                    pools,
                    equallyPreferred,
                    fallbackAfter,
                    defaultFor,
                    driver,
                    resumable,
                    checkpoint,
                    jobs,
                    returnToSpot,
                    gangsLeaveTogether,
                    gangs,
                    deadlines);
        }
    }

    /** The rule that assigns pods without a tier annotation to this tier. */
    public record DefaultFor(@Required GpuRange gpus) {}

    /** A range of GPU counts, both ends included; an absent end is open. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.min) || !has(self.max) || self.max >= self.min",
            message = "max must be at least min",
            fieldPath = ".max")
    public record GpuRange(
            @Min(1) @Max(1_000_000) @Nullable Integer min,
            @Min(1) @Max(1_000_000) @Nullable Integer max) {}

    /** The settings for checkpoints. See {@link dev.trainyard.core.tier.Tier.Checkpoint}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.grace) || duration(self.grace) > duration('0s')",
            message = "grace must be greater than 0s",
            fieldPath = ".grace")
    public record CheckpointSpec(
            @Pattern(Durations.PATTERN)
            @JsonPropertyDescription(
                    "Least time between SIGTERM and SIGKILL, such as 90s. A pod's own longer terminationGracePeriodSeconds is kept.")
            @Nullable
            String grace,

            @Default("false")
            @JsonPropertyDescription(
                    "Whether training containers can read the annotations of their pod in /etc/trainyard/annotations.")
            @Nullable
            Boolean annotationsFile) {}

    /** The settings for Jobs. See {@link dev.trainyard.core.tier.Tier.Jobs}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record JobsSpec(
            @Default("true")
            @JsonPropertyDescription(
                    "Whether Jobs with restartPolicy Never get a podFailurePolicy that does not count reclaims and evictions as failures.")
            @Nullable
            Boolean ignoreReclaims,

            @Default("false")
            @JsonPropertyDescription(
                    "Whether this applies also to Jobs that Kueue or another controller manages, or that an object other than a CronJob owns.")
            @Nullable
            Boolean includeManaged) {}

    /** The settings for the return to spot machines. See {@link dev.trainyard.core.tier.Tier.ReturnToSpot}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.after) || duration(self.after) > duration('0s')",
            message = "after must be greater than 0s",
            fieldPath = ".after")
    public record ReturnToSpotSpec(
            @Pattern(Durations.PATTERN)
            @Default("30m")
            @JsonPropertyDescription(
                    "Least time that a pod runs on its on-demand machine, and least time since the last failure of the spot pool, such as 30m.")
            @Nullable
            String after,

            @Min(1)
            @Max(1000)
            @Default("2")
            @JsonPropertyDescription(
                    "How many pods of this tier return at the same time. A machine with more pods does not return.")
            @Nullable
            Integer atMost) {}

    /** The settings of the GPU driver. See {@link dev.trainyard.core.tier.Driver}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!(has(self.version) && has(self.root))",
            message = "version and root exclude each other: a version stands for /usr/lib/nvidia-VERSION",
            fieldPath = ".root")
    @ValidationRule(
            value = "!has(self.root) || !self.root.matches('(^|/)[.]{1,2}(/|$)')",
            message = "root must not have a part that is . or ..",
            fieldPath = ".root")
    @ValidationRule(
            value =
                    "!has(self.extraLibraries) || !self.extraLibraries.exists(file, file.matches('(^|/)[.]{1,2}(/|$)'))",
            message = "extraLibraries must not have a part that is . or ..",
            fieldPath = ".extraLibraries")
    public record DriverSpec(
            @Required DriverMode mode,

            @Pattern(VERSION)
            @Size(max = 32)
            @JsonPropertyDescription(
                    "Version of the driver, which is in /usr/lib/nvidia-VERSION on the node. Default: 384, unless root is set.")
            @Nullable
            String version,

            @Pattern(DIRECTORY)
            @Size(max = 256)
            @JsonPropertyDescription("Directory of the driver on the node, if it is not /usr/lib/nvidia-VERSION.")
            @Nullable
            String root,

            @Size(max = 32)
            @JsonPropertyDescription("More library files of the node to mount at the same path.")
            @Nullable
            List<@Size(max = 256) @Pattern(FILE) String> extraLibraries) {

        /** The syntax of a version: numbers separated by dots. */
        public static final String VERSION = "^[0-9]+(\\.[0-9]+)*$";

        /** The syntax of a file: an absolute path without colons, because the kubelet writes the two paths of a mount with a colon between them. */
        public static final String FILE = "^(/[^/:]+)+$";

        /** The syntax of a directory: like {@link #FILE}, with an optional slash at the end. */
        public static final String DIRECTORY = "^(/[^/:]+)+/?$";
    }

    /** When the pods of a gang may start. */
    public enum GangStart {
        /** Each pod starts as soon as it has a node. */
        @JsonProperty("parts")
        PARTS,
        /** No pod starts before there is room for all pods of the gang. */
        @JsonProperty("whole")
        WHOLE
    }

    /** How a driver reaches a container. */
    public enum DriverMode {
        /** The node's container runtime or device plugin provides the driver. */
        @JsonProperty("none")
        NONE,
        /** For nodes whose device plugin mounts the driver: only LD_LIBRARY_PATH is set. */
        @JsonProperty("libraryPath")
        LIBRARY_PATH,
        /** The driver is mounted from the node's file system, as on the machines of acs-engine. */
        @JsonProperty("hostPath")
        HOST_PATH
    }
}
