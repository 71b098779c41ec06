package dev.trainyard.core.catalogue;

import dev.trainyard.core.Trap;
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
 * Finds pools that have machines of the cloud in common. Each would take the other's machines for its own and the other's orders for its
 * own, and would remove what the other needs. Which of them is meant nobody can tell, so that none of them is used. Pure.
 */
public final class SharedResources {

    private SharedResources() {}

    /** A problem of each pool that shares its resource with another, in the order of the pools. */
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
                "spec.provider.%s names machines that TrainingPool '%s' has as well; neither is used before one of them names others, or is deleted%s"
                        .formatted(what, other.name(), Trap.POOLS_SHARE_MACHINES.see()));
    }

    /** The member of {@code one} by which it has machines in common with {@code other}, with its value; empty when it has none. */
    public static Optional<String> shared(ProviderSpec one, ProviderSpec other) {
        return shared(one.azureScaleSet(), other.azureScaleSet())
                .or(() -> shared(one.azureVirtualMachines(), other.azureVirtualMachines()))
                .or(() -> shared(one.awsAutoScalingGroup(), other.awsAutoScalingGroup()));
    }

    /** Azure does not tell names apart by case. */
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

    /** Machines are called by the prefix and a number: with {@code k8s-a-} and {@code k8s-a-1}, {@code k8s-a-12} is of both. */
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
