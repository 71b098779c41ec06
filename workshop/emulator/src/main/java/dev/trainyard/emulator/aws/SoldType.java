package dev.trainyard.emulator.aws;

import java.util.List;
import java.util.stream.Collectors;

/**
 * An instance type that AWS sells.
 *
 * @param cpus number of vCPUs; 0 if AWS does not report the number
 * @param interfaces the largest number of network interfaces
 * @param addresses number of IPv4 addresses of each interface
 */
public record SoldType(String name, int cpus, long memoryMiB, List<Gpu> gpus, int interfaces, int addresses) {

    /**
     * GPUs of one kind.
     *
     * @param maker the manufacturer, such as {@code NVIDIA}
     * @param memoryMiB memory of each GPU
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

    /** Returns the type as an item of the answer to DescribeInstanceTypes. */
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
