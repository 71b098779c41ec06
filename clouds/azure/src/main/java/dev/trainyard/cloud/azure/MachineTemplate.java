package dev.trainyard.cloud.azure;

import com.azure.core.management.SubResource;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.CachingTypes;
import com.azure.resourcemanager.compute.models.DeleteOptions;
import com.azure.resourcemanager.compute.models.DiskCreateOptionTypes;
import com.azure.resourcemanager.compute.models.DiskDeleteOptionTypes;
import com.azure.resourcemanager.compute.models.HardwareProfile;
import com.azure.resourcemanager.compute.models.ImageReference;
import com.azure.resourcemanager.compute.models.LinuxConfiguration;
import com.azure.resourcemanager.compute.models.ManagedDiskParameters;
import com.azure.resourcemanager.compute.models.NetworkInterfaceReference;
import com.azure.resourcemanager.compute.models.NetworkProfile;
import com.azure.resourcemanager.compute.models.OSDisk;
import com.azure.resourcemanager.compute.models.OSProfile;
import com.azure.resourcemanager.compute.models.SshConfiguration;
import com.azure.resourcemanager.compute.models.SshPublicKey;
import com.azure.resourcemanager.compute.models.StorageAccountTypes;
import com.azure.resourcemanager.compute.models.StorageProfile;
import com.azure.resourcemanager.compute.models.VirtualMachineEvictionPolicyTypes;
import com.azure.resourcemanager.compute.models.VirtualMachinePriorityTypes;
import com.azure.resourcemanager.compute.models.VirtualMachineSizeTypes;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.api.ProviderSpec.AzureImage;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a new machine of a pool. Properties that the pool does not set are copied from an existing machine. Pure.
 *
 * @param spec the properties that the pool sets
 * @param model an existing machine of the pool; empty if there is none
 * @param modelNic the network interface of the model
 * @param customData cloud-init data in base64; Azure does not return the data of existing machines
 */
record MachineTemplate(
        AzureMachineTemplate spec,
        Optional<VirtualMachineInner> model,
        Optional<JsonNode> modelNic,
        String customData) {

    static final String MEMBER = "spec.provider.azureVirtualMachines.template";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** @throws ProviderException naming all missing members */
    void check() throws ProviderException {
        var missing = new ArrayList<String>();
        require(missing, "location", location());
        require(missing, "vmSize", vmSize());
        require(missing, "image", image());
        require(missing, "subnetId", spec.subnetId() == null ? modelNic.orElse(null) : spec.subnetId());
        require(missing, "adminUsername", adminUsername());
        require(missing, "sshPublicKey", ssh());
        if (!missing.isEmpty()) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "%s: %s missing; required because the pool has no machine to copy from"
                            .formatted(MEMBER, String.join(", ", missing)));
        }
    }

    /** Returns the body of a request for a network interface. */
    ObjectNode nic(String pool) {
        var body = JSON.createObjectNode();
        body.put("location", location());
        body.putObject("tags").put(Fleet.MADE_FOR, pool);
        var properties = body.putObject("properties");
        var like = modelNic.map(nic -> nic.path("properties")).orElse(JSON.createObjectNode());
        copy(like, properties, "enableIPForwarding");
        copy(like, properties, "enableAcceleratedNetworking");
        var group = spec.networkSecurityGroupId() != null
                ? spec.networkSecurityGroupId()
                : like.path("networkSecurityGroup").path("id").asText("");
        if (!group.isEmpty()) {
            properties.putObject("networkSecurityGroup").put("id", group);
        }
        var addresses = properties.putArray("ipConfigurations");
        // The interface gets as many addresses as the model's interface has: with Azure's own network plug-in, each pod
        // uses an address.
        like.path("ipConfigurations").forEach(address -> {
            var told = address.path("properties");
            var subnet = spec.subnetId() != null
                    ? spec.subnetId()
                    : told.path("subnet").path("id").asText();
            address(
                    addresses.addObject(),
                    address.path("name").asText(),
                    told.path("primary").asBoolean(),
                    subnet);
        });
        if (addresses.isEmpty()) {
            address(addresses.addObject(), "ipconfig1", true, String.valueOf(spec.subnetId()));
        }
        return body;
    }

    /** @param spot whether to request a spot machine, which cannot be in an availability set */
    VirtualMachineInner vm(String pool, String name, String nicId, String diskName, boolean spot) {
        var tags = new HashMap<>(like(vm -> vm.tags()).orElse(Map.of()));
        tags.put(Fleet.MADE_FOR, pool);
        var vm = new VirtualMachineInner();
        vm.withLocation(location());
        vm.withTags(tags);
        vm.withHardwareProfile(new HardwareProfile().withVmSize(VirtualMachineSizeTypes.fromString(vmSize())));
        vm.withStorageProfile(new StorageProfile().withImageReference(image()).withOsDisk(disk(diskName)));
        vm.withOsProfile(new OSProfile()
                .withComputerName(name)
                .withAdminUsername(adminUsername())
                .withCustomData(customData)
                .withLinuxConfiguration(new LinuxConfiguration()
                        .withDisablePasswordAuthentication(true)
                        .withSsh(new SshConfiguration().withPublicKeys(ssh()))));
        vm.withNetworkProfile(new NetworkProfile()
                .withNetworkInterfaces(List.of(new NetworkInterfaceReference()
                        .withId(nicId)
                        .withPrimary(true)
                        .withDeleteOption(DeleteOptions.DELETE))));
        if (spot) {
            vm.withPriority(VirtualMachinePriorityTypes.SPOT)
                    .withEvictionPolicy(VirtualMachineEvictionPolicyTypes.DELETE);
        } else {
            Optional.ofNullable(spec.availabilitySetId())
                    .or(() -> like(m -> m.availabilitySet()).map(SubResource::id))
                    .ifPresent(id -> vm.withAvailabilitySet(new SubResource().withId(id)));
        }
        return vm;
    }

    private OSDisk disk(String name) {
        var told = like(vm -> vm.storageProfile()).map(StorageProfile::osDisk);
        var disk = new OSDisk()
                .withName(name)
                .withCreateOption(DiskCreateOptionTypes.FROM_IMAGE)
                .withDeleteOption(DiskDeleteOptionTypes.DELETE)
                .withCaching(told.map(OSDisk::caching).orElse(CachingTypes.READ_ONLY));
        Optional.ofNullable(spec.osDiskSizeGiB())
                .or(() -> told.map(OSDisk::diskSizeGB))
                .ifPresent(disk::withDiskSizeGB);
        Optional.ofNullable(spec.osDiskType())
                .map(StorageAccountTypes::fromString)
                .or(() -> told.map(OSDisk::managedDisk).map(ManagedDiskParameters::storageAccountType))
                .ifPresent(type -> disk.withManagedDisk(new ManagedDiskParameters().withStorageAccountType(type)));
        return disk;
    }

    private @Nullable String location() {
        return spec.location() != null
                ? spec.location()
                : like(vm -> vm.location()).orElse(null);
    }

    private @Nullable String vmSize() {
        return spec.vmSize() != null
                ? spec.vmSize()
                : like(vm -> vm.hardwareProfile())
                        .map(p -> String.valueOf(p.vmSize()))
                        .orElse(null);
    }

    private @Nullable ImageReference image() {
        AzureImage stated = spec.image();
        if (stated == null) {
            return like(vm -> vm.storageProfile())
                    .map(StorageProfile::imageReference)
                    .orElse(null);
        }
        return stated.id() != null
                ? new ImageReference().withId(stated.id())
                : new ImageReference()
                        .withPublisher(stated.publisher())
                        .withOffer(stated.offer())
                        .withSku(stated.sku())
                        .withVersion(stated.version() == null ? "latest" : stated.version());
    }

    private @Nullable String adminUsername() {
        return spec.adminUsername() != null
                ? spec.adminUsername()
                : like(vm -> vm.osProfile()).map(OSProfile::adminUsername).orElse(null);
    }

    private @Nullable List<SshPublicKey> ssh() {
        if (spec.sshPublicKey() != null) {
            return List.of(new SshPublicKey()
                    .withPath("/home/%s/.ssh/authorized_keys".formatted(adminUsername()))
                    .withKeyData(spec.sshPublicKey()));
        }
        return like(vm -> vm.osProfile())
                .map(OSProfile::linuxConfiguration)
                .map(LinuxConfiguration::ssh)
                .map(SshConfiguration::publicKeys)
                .orElse(null);
    }

    private <T> Optional<T> like(Function<VirtualMachineInner, @Nullable T> part) {
        return model.flatMap(vm -> Optional.ofNullable(part.apply(vm)));
    }

    private static void address(ObjectNode address, String name, boolean primary, String subnet) {
        address.put("name", name);
        var properties = address.putObject("properties");
        properties.put("primary", primary).put("privateIPAllocationMethod", "Dynamic");
        properties.putObject("subnet").put("id", subnet);
    }

    private static void copy(JsonNode from, ObjectNode to, String member) {
        if (from.has(member)) {
            to.set(member, from.get(member));
        }
    }

    private static void require(List<String> missing, String member, @Nullable Object value) {
        if (value == null) {
            missing.add(member);
        }
    }
}
