package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.trainyard.core.Durations;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cloud resource behind a pool: exactly one member is there. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value =
                "[has(self.azureScaleSet), has(self.azureVirtualMachines), has(self.awsAutoScalingGroup), has(self.kwok)].filter(named, named).size() == 1",
        message = "name exactly one of azureScaleSet, azureVirtualMachines, awsAutoScalingGroup, kwok")
public record ProviderSpec(
        @Nullable AzureScaleSet azureScaleSet,
        @Nullable AzureVirtualMachines azureVirtualMachines,
        @Nullable AwsAutoScalingGroup awsAutoScalingGroup,
        @Nullable Kwok kwok) {

    /** The names of the members that are there; a right provider has one. */
    @JsonIgnore
    public List<String> named() {
        var names = new ArrayList<String>();
        if (azureScaleSet != null) {
            names.add("azureScaleSet");
        }
        if (azureVirtualMachines != null) {
            names.add("azureVirtualMachines");
        }
        if (awsAutoScalingGroup != null) {
            names.add("awsAutoScalingGroup");
        }
        if (kwok != null) {
            names.add("kwok");
        }
        return List.copyOf(names);
    }

    /** An Azure virtual machine scale set. */
    public record AzureScaleSet(
            @Required @Size(min = 1, max = 64) String subscriptionId,
            @Required @Size(min = 1, max = 90) String resourceGroup,
            @Required @Size(min = 1, max = 64) String name) {}

    /** Single Azure virtual machines of an availability set, as acs-engine made them. */
    public record AzureVirtualMachines(
            @Required @Size(min = 1, max = 64) String subscriptionId,
            @Required @Size(min = 1, max = 90) String resourceGroup,

            @Required
            @Size(min = 1, max = 64)
            @JsonPropertyDescription("Names are this and an index, such as k8s-agentpool1-12345678-.")
            String namePrefix) {}

    /** An AWS Auto Scaling group. */
    public record AwsAutoScalingGroup(
            @Required @Size(min = 1, max = 32) String region,
            @Required @Size(min = 1, max = 255) String name) {}

    /** A stand-in for a cloud: Node objects whose kubelets kwok simulates. For demos, tests and benchmarks. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Kwok(
            @Min(0)
            @JsonPropertyDescription(
                    "Machines that this \"cloud\" has; more are accepted, then fail as a stock-out. Absent: no limit.")
            @Nullable
            Integer capacity,

            @Pattern(Durations.PATTERN)
            @Default("5s")
            @JsonPropertyDescription("From the order to the node's joining.")
            @Nullable
            String bootDelay,

            @Pattern(Durations.PATTERN)
            @Default("0s")
            @JsonPropertyDescription("From the node's joining, without GPUs, to its GPUs' showing.")
            @Nullable
            String driverDelay,

            @Pattern(Durations.PATTERN)
            @Default("1s")
            @JsonPropertyDescription("From the order to the report of a stock-out.")
            @Nullable
            String failureDelay) {}
}
