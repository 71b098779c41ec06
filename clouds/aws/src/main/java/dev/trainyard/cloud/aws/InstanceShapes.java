package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.autoscaling.model.AutoScalingGroup;
import software.amazon.awssdk.services.autoscaling.model.LaunchConfiguration;
import software.amazon.awssdk.services.autoscaling.model.LaunchTemplateOverrides;
import software.amazon.awssdk.services.autoscaling.model.LaunchTemplateSpecification;
import software.amazon.awssdk.services.autoscaling.model.MixedInstancesPolicy;
import software.amazon.awssdk.services.autoscaling.model.SuspendedProcess;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceLifecycleType;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateVersion;
import software.amazon.awssdk.services.ec2.model.MarketType;
import software.amazon.awssdk.services.ec2.model.SpotPlacementScore;

/** Conversions of the SDK's objects to our own. An answer without a size is unreadable: a missing size is never taken for zero. */
final class InstanceShapes {

    private InstanceShapes() {}

    /** @throws IllegalArgumentException if an essential member is missing */
    static Group group(AutoScalingGroup group) {
        var name = required("AutoScalingGroupName", group.autoScalingGroupName());
        return new Group(
                name,
                required("MinSize", group.minSize()),
                required("MaxSize", group.maxSize()),
                required("DesiredCapacity", group.desiredCapacity()),
                group.instances().stream().map(InstanceShapes::instance).toList(),
                group.availabilityZones(),
                group.suspendedProcesses().stream()
                        .map(SuspendedProcess::processName)
                        .collect(Collectors.toSet()),
                Boolean.TRUE.equals(group.newInstancesProtectedFromScaleIn()),
                source(group),
                Optional.ofNullable(group.mixedInstancesPolicy()).map(InstanceShapes::mix),
                Objects.requireNonNullElse(group.desiredCapacityType(), "units"),
                Objects.requireNonNullElse(group.maxInstanceLifetime(), 0),
                Boolean.TRUE.equals(group.capacityRebalance()),
                Optional.ofNullable(group.status()).filter(status -> !status.isEmpty()),
                tags(group));
    }

    private static Group.Instance instance(software.amazon.awssdk.services.autoscaling.model.Instance instance) {
        return new Group.Instance(
                required("InstanceId", instance.instanceId()),
                Objects.requireNonNullElse(instance.instanceType(), ""),
                Objects.requireNonNullElse(instance.availabilityZone(), ""),
                required("LifecycleState", instance.lifecycleStateAsString()),
                Boolean.TRUE.equals(instance.protectedFromScaleIn()));
    }

    private static Group.Source source(AutoScalingGroup group) {
        if (group.launchTemplate() != null) {
            return source(group.launchTemplate());
        }
        var mixed = group.mixedInstancesPolicy();
        if (mixed != null
                && mixed.launchTemplate() != null
                && mixed.launchTemplate().launchTemplateSpecification() != null) {
            return source(mixed.launchTemplate().launchTemplateSpecification());
        }
        return group.launchConfigurationName() == null
                        || group.launchConfigurationName().isEmpty()
                ? new Group.Source.Unknown()
                : new Group.Source.LaunchConfiguration(group.launchConfigurationName());
    }

    private static Group.Source source(LaunchTemplateSpecification template) {
        return template.launchTemplateId() == null
                ? new Group.Source.Unknown()
                : new Group.Source.LaunchTemplate(
                        template.launchTemplateId(), Objects.requireNonNullElse(template.version(), "$Default"));
    }

    /** Converts a policy. Missing numbers get the defaults of InstancesDistribution in the API reference. */
    private static Group.Mix mix(MixedInstancesPolicy policy) {
        var distribution = policy.instancesDistribution();
        List<LaunchTemplateOverrides> overrides = policy.launchTemplate() == null
                ? List.of()
                : policy.launchTemplate().overrides();
        return new Group.Mix(
                distribution == null ? 0 : Objects.requireNonNullElse(distribution.onDemandBaseCapacity(), 0),
                distribution == null
                        ? 100
                        : Objects.requireNonNullElse(distribution.onDemandPercentageAboveBaseCapacity(), 100),
                overrides.stream()
                        .map(LaunchTemplateOverrides::instanceType)
                        .filter(Objects::nonNull)
                        .toList(),
                overrides.stream()
                        .map(LaunchTemplateOverrides::weightedCapacity)
                        .anyMatch(weight -> weight != null && !weight.equals("1")),
                overrides.stream().anyMatch(override -> override.instanceRequirements() != null));
    }

    private static SortedMap<String, String> tags(AutoScalingGroup group) {
        var tags = new TreeMap<String, String>();
        group.tags().forEach(tag -> tags.put(tag.key(), Objects.requireNonNullElse(tag.value(), "")));
        return tags;
    }

    static Activity activity(software.amazon.awssdk.services.autoscaling.model.Activity activity) {
        return new Activity(
                required("ActivityId", activity.activityId()),
                Objects.requireNonNullElse(activity.description(), ""),
                required("StatusCode", activity.statusCodeAsString()),
                Objects.requireNonNullElse(activity.statusMessage(), ""),
                Objects.requireNonNullElse(activity.cause(), ""),
                required("StartTime", activity.startTime()),
                Optional.ofNullable(activity.endTime()));
    }

    static Optional<Birth> birth(Instance instance) {
        Instant launched = instance.launchTime();
        return launched == null
                ? Optional.empty()
                : Optional.of(new Birth(
                        launched,
                        Optional.ofNullable(instance.privateDnsName()).filter(name -> !name.isEmpty()),
                        instance.instanceLifecycle() == InstanceLifecycleType.SPOT));
    }

    static Launch launch(LaunchConfiguration configuration) {
        return new Launch(
                Objects.requireNonNullElse(configuration.instanceType(), ""),
                Objects.requireNonNullElse(configuration.imageId(), ""),
                configuration.spotPrice() != null && !configuration.spotPrice().isEmpty());
    }

    static Launch launch(LaunchTemplateVersion version) {
        var data = version.launchTemplateData();
        if (data == null) {
            return new Launch("", "", false);
        }
        var market = data.instanceMarketOptions();
        return new Launch(
                Objects.requireNonNullElse(data.instanceTypeAsString(), ""),
                Objects.requireNonNullElse(data.imageId(), ""),
                market != null && market.marketType() == MarketType.SPOT);
    }

    /**
     * Returns the score by its zone ID, or by its region if it has none.
     *
     * @throws IllegalArgumentException if the score is missing or not between 1 and 10
     */
    static Map.Entry<String, Integer> spotScore(SpotPlacementScore scored) {
        int score = required("Score", scored.score());
        if (score < 1 || score > 10) {
            throw new IllegalArgumentException("Score is %d, expected 1 to 10".formatted(score));
        }
        return Map.entry(
                scored.availabilityZoneId() == null ? required("Region", scored.region()) : scored.availabilityZoneId(),
                score);
    }

    private static <T> T required(String member, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(member + " is missing");
        }
        return value;
    }
}
