package dev.trainyard.core.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.trainyard.core.Durations;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cloud resource behind a pool: exactly one member is present. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(value = ProviderSpec.ONE_RULE, message = "name exactly one of " + ProviderSpec.MEMBERS_TEXT)
public record ProviderSpec(
        @Nullable AzureScaleSet azureScaleSet,
        @Nullable AzureVirtualMachines azureVirtualMachines,
        @Nullable AwsAutoScalingGroup awsAutoScalingGroup,
        @Nullable Kwok kwok) {

    /** The names of the members, for messages. */
    public static final String MEMBERS_TEXT = "azureScaleSet, azureVirtualMachines, awsAutoScalingGroup, kwok";

    /** The names of the members. */
    public static final List<String> MEMBERS = List.of(MEMBERS_TEXT.split(", "));

    /** The CEL rule of the CustomResourceDefinition: exactly one member is present. */
    public static final String ONE_RULE =
            "[has(self.azureScaleSet), has(self.azureVirtualMachines), has(self.awsAutoScalingGroup), has(self.kwok)]"
                    + ".filter(named, named).size() == 1";

    private static final String AZURE_SUBSCRIPTION = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
    // The names that Azure allows. The names become part of request paths.
    private static final String AZURE_GROUP = "^[A-Za-z0-9_()-]([A-Za-z0-9_.()-]*[A-Za-z0-9_()-])?$";
    private static final String AZURE_NAME = "^[A-Za-z0-9][A-Za-z0-9_.-]*$";
    private static final String AZURE_ID = "^(/[A-Za-z0-9_()-][A-Za-z0-9_.()-]*)+$";

    /** Returns the names of the members that are present; a valid provider has one. */
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

    /**
     * Returns an identifier of the cloud API that serves the pool. Each API has its own rate limits and outages. AWS has one API in each
     * region.
     */
    public String api() {
        var kind = String.join(",", named());
        return awsAutoScalingGroup == null ? kind : kind + " " + awsAutoScalingGroup.region();
    }

    /** An Azure virtual machine scale set with uniform orchestration. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AzureScaleSet(
            @Required @Pattern(AZURE_SUBSCRIPTION) String subscriptionId,

            @Required @Size(min = 1, max = 90) @Pattern(AZURE_GROUP)
            String resourceGroup,

            @Required @Size(min = 1, max = 64) @Pattern(AZURE_NAME)
            String name,

            @JsonPropertyDescription(
                    "Whether all machines of the set are in one placement group, as in Azure's field of this name. "
                            + "The set can have 100 machines if true, and 1000 otherwise.")
            @Nullable
            Boolean singlePlacementGroup) {

        /** The most machines that a scale set can have. With a single placement group, {@code MOST_IN_ONE_GROUP} applies instead. */
        public static final int MOST = 1000;

        public static final int MOST_IN_ONE_GROUP = 100;

        /** Creates a scale set that does not state whether it has a single placement group. */
        public AzureScaleSet(String subscriptionId, String resourceGroup, String name) {
            this(subscriptionId, resourceGroup, name, null);
        }

        /** Returns the most machines that the set can have: 100 if a single placement group is stated, and 1000 otherwise. */
        @JsonIgnore
        public int most() {
            return Boolean.TRUE.equals(singlePlacementGroup) ? MOST_IN_ONE_GROUP : MOST;
        }
    }

    /** Individual Azure virtual machines instead of a scale set, in an availability set, as acs-engine created them. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AzureVirtualMachines(
            @Required @Pattern(AZURE_SUBSCRIPTION) String subscriptionId,

            @Required @Size(min = 1, max = 90) @Pattern(AZURE_GROUP)
            String resourceGroup,

            @Required
            @Size(min = 1, max = 64)
            @Pattern(AZURE_NAME)
            @JsonPropertyDescription(
                    "Start of the machines' names, such as k8s-agentpool1-12345678-. An index follows.")
            String namePrefix,

            @JsonPropertyDescription(
                    "Settings of new machines. Absent settings are copied from the pool's machine with the lowest index.")
            @Nullable
            AzureMachineTemplate template) {

        /** Creates a pool whose new machines copy the settings of existing machines. */
        public AzureVirtualMachines(String subscriptionId, String resourceGroup, String namePrefix) {
            this(subscriptionId, resourceGroup, namePrefix, null);
        }
    }

    /** The template of a new virtual machine. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AzureMachineTemplate(
            @Nullable String location,

            @JsonPropertyDescription("Size of the machine, such as Standard_NC6s_v3.") @Nullable
            String vmSize,

            @Nullable AzureImage image,

            @Pattern(AZURE_ID) @JsonPropertyDescription("Resource id of the subnet.") @Nullable
            String subnetId,

            @Min(1) @Max(65_536) @Nullable Integer osDiskSizeGiB,

            @JsonPropertyDescription("Storage type of the OS disk, such as Premium_LRS.") @Nullable
            String osDiskType,

            @Nullable String adminUsername,
            @Nullable String sshPublicKey,

            @Pattern(AZURE_ID)
            @JsonPropertyDescription(
                    "Resource id of the availability set. Ignored for spot machines, because Azure allows them in no availability set.")
            @Nullable
            String availabilitySetId,

            @Pattern(AZURE_ID) @JsonPropertyDescription("Resource id of the network security group.") @Nullable
            String networkSecurityGroupId,

            @Pattern("^/")
            @JsonPropertyDescription(
                    "A file in the scaler's directory /etc/trainyard/azure, for example from a mounted Secret. The "
                            + "file holds the cloud-init data with which a new machine joins the cluster. A pool "
                            + "without the file cannot grow, because Azure does not return this data for existing "
                            + "machines.")
            @Nullable
            String customDataFile) {

        public static final AzureMachineTemplate EMPTY =
                new AzureMachineTemplate(null, null, null, null, null, null, null, null, null, null, null);
    }

    /** An image, named either by its resource id, or by publisher, offer and SKU of the marketplace. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "has(self.id) != (has(self.publisher) && has(self.offer) && has(self.sku))",
            message = "name either id, or publisher, offer and sku")
    public record AzureImage(
            @Pattern(AZURE_ID) @Nullable String id,
            @Nullable String publisher,
            @Nullable String offer,
            @Nullable String sku,

            @JsonPropertyDescription("Version of the image. Default: latest.") @Nullable
            String version) {}

    /** An AWS Auto Scaling group. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AwsAutoScalingGroup(
            @Required @Size(min = 1, max = 32) String region,
            @Required @Size(min = 1, max = 255) String name,

            @Default("true")
            @JsonPropertyDescription(
                    "Whether to protect the machines from termination by AWS when the group shrinks. If neither "
                            + "this field nor the group protects them, requests that AWS cannot fill stay open as "
                            + "long as the group has machines.")
            @Nullable
            Boolean protectFromScaleIn) {

        /** Creates a group whose machines are protected from scale-in. */
        public AwsAutoScalingGroup(String region, String name) {
            this(region, name, null);
        }
    }

    /** A stand-in for a cloud: Node objects whose kubelets kwok simulates. For demos, tests and benchmarks. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Kwok(
            @Min(0)
            @Max(1_000_000)
            @JsonPropertyDescription(
                    "Number of machines that the simulated cloud has. Requests for more are accepted, and then fail as "
                            + "a stock-out. If absent, there is no limit.")
            @Nullable
            Integer capacity,

            @Pattern(Durations.PATTERN)
            @Default("5s")
            @JsonPropertyDescription("Time from the request for a machine until its node joins.")
            @Nullable
            String bootDelay,

            @Pattern(Durations.PATTERN)
            @Default("0s")
            @JsonPropertyDescription("Time from the joining of the node until the node reports its GPUs.")
            @Nullable
            String driverDelay,

            @Pattern(Durations.PATTERN)
            @Default("1s")
            @JsonPropertyDescription("Time from a request until the simulated cloud reports a stock-out.")
            @Nullable
            String failureDelay) {}
}
