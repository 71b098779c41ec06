package dev.trainyard.emulator.aws;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A type of instance that AWS sells.
 *
 * @param cpus 0: AWS does not tell
 * @param interfaces that it may have
 * @param addresses of each interface
 */
public record SoldType(String name, int cpus, long memoryMiB, List<Gpu> gpus, int interfaces, int addresses) {

    /**
     * GPUs of one kind.
     *
     * @param maker such as {@code NVIDIA}
     * @param memoryMiB of each
     */
    public record Gpu(String maker, String name, int count, long memoryMiB) {

        private String xml() {
            return "<item><name>%s</name><manufacturer>%s</manufacturer><count>%d</count><memoryInfo><sizeInMiB>%d</sizeInMiB></memoryInfo></item>"
                    .formatted(name, maker, count, memoryMiB);
        }
    }

    public SoldType {
        gpus = List.copyOf(gpus);
    }

    /** An item of DescribeInstanceTypes' answer. */
    String xml() {
        return "<item><instanceType>%s</instanceType><currentGeneration>true</currentGeneration>%s<memoryInfo><sizeInMiB>%d</sizeInMiB></memoryInfo>%s<networkInfo><maximumNetworkInterfaces>%d</maximumNetworkInterfaces><ipv4AddressesPerInterface>%d</ipv4AddressesPerInterface></networkInfo></item>"
                .formatted(
                        name,
                        cpus == 0 ? "" : "<vCpuInfo><defaultVCpus>%d</defaultVCpus></vCpuInfo>".formatted(cpus),
                        memoryMiB,
                        gpuInfo(),
                        interfaces,
                        addresses);
    }

    private String gpuInfo() {
        long memory =
                gpus.stream().mapToLong(gpu -> gpu.count() * gpu.memoryMiB()).sum();
        return gpus.isEmpty()
                ? ""
                : "<gpuInfo><gpus>%s</gpus><totalGpuMemoryInMiB>%d</totalGpuMemoryInMiB></gpuInfo>"
                        .formatted(gpus.stream().map(Gpu::xml).collect(Collectors.joining()), memory);
    }
}
