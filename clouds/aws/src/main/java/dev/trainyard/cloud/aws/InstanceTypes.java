package dev.trainyard.cloud.aws;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.ec2.model.GpuDeviceInfo;
import software.amazon.awssdk.services.ec2.model.InstanceTypeInfo;
import software.amazon.awssdk.services.ec2.model.NetworkInfo;

/**
 * Instance types as AWS describes them. Each type is requested once a day for each region, however many pools use it. A failure is not
 * cached, so callers must limit their retries. Thread-safe; concurrent callers wait.
 */
final class InstanceTypes {

    /** How long an answer is kept. A type that is not offered today may be offered tomorrow. */
    static final Duration KEPT = Duration.ofDays(1);

    private static final long MEBIBYTE = 1L << 20;

    /** The manufacturer whose GPUs are {@code nvidia.com/gpu}. */
    private static final String NVIDIA = "NVIDIA";

    /** The kubelet's default limit, and the maximum that Kubernetes recommends. */
    private static final int MOST_PODS = 110;

    private final Clock clock;
    private final Map<Question, Answer> answers = new HashMap<>();

    private record Question(String region, String type) {}

    private record Answer(Optional<MachineSize> size, Instant at) {}

    InstanceTypes(Clock clock) {
        this.clock = clock;
    }

    /** Returns the size of a type; empty if the region has no such type. */
    synchronized Optional<MachineSize> find(String region, AwsCalls calls, String name) throws ProviderException {
        // AWS writes all names in lower case.
        var question = new Question(region, name.toLowerCase(Locale.ROOT));
        var now = clock.instant();
        var known = answers.get(question);
        if (known == null || !now.isBefore(known.at().plus(KEPT))) {
            known = new Answer(calls.instanceType(question.type()), now);
            answers.put(question, known);
        }
        return known.size();
    }

    /** @throws IllegalArgumentException if an essential member is missing */
    static MachineSize size(InstanceTypeInfo told) {
        var cpus = told.vCpuInfo() == null ? null : told.vCpuInfo().defaultVCpus();
        var memory = told.memoryInfo() == null ? null : told.memoryInfo().sizeInMiB();
        var gpus = gpus(told);
        return new MachineSize(
                Cloud.AWS,
                required("InstanceType", told.instanceTypeAsString()),
                required("VCpuInfo.DefaultVCpus", cpus),
                Math.multiplyExact(required("MemoryInfo.SizeInMiB", memory), MEBIBYTE),
                gpus.stream()
                        .mapToInt(gpu -> required("GpuInfo.Gpus.Count", gpu.count()))
                        .sum(),
                kind(gpus),
                pods(told.networkInfo()));
    }

    private static List<GpuDeviceInfo> gpus(InstanceTypeInfo told) {
        return told.gpuInfo() == null
                ? List.of()
                : told.gpuInfo().gpus().stream()
                        .filter(gpu -> NVIDIA.equalsIgnoreCase(gpu.manufacturer()))
                        .toList();
    }

    /** Returns the kind of the GPUs. A property in which the GPUs differ is empty. */
    private static GpuKind kind(List<GpuDeviceInfo> gpus) {
        var names = gpus.stream().map(GpuDeviceInfo::name).distinct().toList();
        var memories = gpus.stream()
                .map(gpu -> gpu.memoryInfo() == null ? null : gpu.memoryInfo().sizeInMiB())
                .distinct()
                .toList();
        var memory = memories.size() == 1 ? memories.get(0) : null;
        return new GpuKind(
                names.size() == 1 ? Optional.ofNullable(names.get(0)).map(GpuProduct::of) : Optional.empty(),
                memory == null ? OptionalLong.empty() : OptionalLong.of(memory * MEBIBYTE));
    }

    /**
     * Returns the number of pods for which AWS's network plugin has addresses, at most {@link #MOST_PODS}. All addresses of an interface
     * except the first are for pods. Two more pods need no address of their own. Source: eni-max-pods.txt of the EKS machine images.
     */
    private static int pods(@Nullable NetworkInfo network) {
        if (network == null
                || network.maximumNetworkInterfaces() == null
                || network.ipv4AddressesPerInterface() == null) {
            return MOST_PODS;
        }
        int addresses = network.maximumNetworkInterfaces() * (network.ipv4AddressesPerInterface() - 1) + 2;
        return Math.max(1, Math.min(MOST_PODS, addresses));
    }

    private static <T> T required(String member, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(member + " is missing");
        }
        return value;
    }
}
