package dev.trainyard.core.catalogue;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.core.api.ProviderSpec.AzureVirtualMachines;
import dev.trainyard.core.pool.Pool;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A check for pools that name the same machines of the cloud. Each such pool would count the other pool's machines and requests as its own,
 * and would remove machines that the other pool needs. The check cannot know which pool is correct, so both pools are unusable.
 */
public final class SharedResources {

    private SharedResources() {}

    /** Returns a problem for each pool that shares machines with another pool, in the order of the pools. */
    static List<Problem> problems(Collection<Pool> pools) {
        var problems = new ArrayList<Problem>();
        for (var pool : pools) {
            pools.stream()
                    .filter(other -> !other.equals(pool))
                    .flatMap(other ->
                            shared(pool.provider(), other.provider()).map(what -> problem(pool, other, what)).stream())
                    .findFirst()
                    .ifPresent(problems::add);
        }
        return problems;
    }

    private static Problem problem(Pool pool, Pool other, String what) {
        return new Problem(
                "TrainingPool",
                pool.name(),
                ("spec.provider.%s names the same machines as TrainingPool '%s'; both pools are unusable until one of"
                                + " them names other machines or is deleted%s")
                        .formatted(what, other.name(), TroubleshootingTopic.POOLS_SHARE_MACHINES.see()));
    }

    /** Returns the member of {@code one} that names machines of {@code other}, with its value; empty if the two share no machines. */
    public static Optional<String> shared(ProviderSpec one, ProviderSpec other) {
        return shared(one.azureScaleSet(), other.azureScaleSet())
                .or(() -> shared(one.azureVirtualMachines(), other.azureVirtualMachines()))
                .or(() -> shared(one.awsAutoScalingGroup(), other.awsAutoScalingGroup()));
    }

    /** Compares two scale sets. Azure ignores the case of names. */
    private static Optional<String> shared(@Nullable AzureScaleSet one, @Nullable AzureScaleSet other) {
        return one != null
                        && other != null
                        && one.subscriptionId().equalsIgnoreCase(other.subscriptionId())
                        && one.resourceGroup().equalsIgnoreCase(other.resourceGroup())
                        && one.name().equalsIgnoreCase(other.name())
                ? Optional.of("azureScaleSet.name: '%s'".formatted(one.name()))
                : Optional.empty();
    }

    private static Optional<String> shared(@Nullable AzureVirtualMachines one, @Nullable AzureVirtualMachines other) {
        return one != null
                        && other != null
                        && one.subscriptionId().equalsIgnoreCase(other.subscriptionId())
                        && one.resourceGroup().equalsIgnoreCase(other.resourceGroup())
                        && (goesOnWithNumber(one.namePrefix(), other.namePrefix())
                                || goesOnWithNumber(other.namePrefix(), one.namePrefix()))
                ? Optional.of("azureVirtualMachines.namePrefix: '%s'".formatted(one.namePrefix()))
                : Optional.empty();
    }

    /**
     * Whether {@code longer} is {@code prefix} followed by digits or nothing. A machine's name is the prefix of its pool and a number, so
     * {@code k8s-a-12} could belong both to {@code k8s-a-} and to {@code k8s-a-1}.
     */
    private static boolean goesOnWithNumber(String prefix, String longer) {
        return longer.regionMatches(true, 0, prefix, 0, prefix.length())
                && longer.substring(prefix.length()).matches("[0-9]*");
    }

    private static Optional<String> shared(@Nullable AwsAutoScalingGroup one, @Nullable AwsAutoScalingGroup other) {
        return one != null
                        && other != null
                        && one.region().equals(other.region())
                        && one.name().equals(other.name())
                ? Optional.of("awsAutoScalingGroup.name: '%s'".formatted(one.name()))
                : Optional.empty();
    }
}
