package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The failed launches among a group's scaling activities. AWS never refuses a request for lack of capacity, so a stock-out shows only in
 * these activities.
 *
 * <p>The texts of the rules are AWS's own. Sources: "Troubleshoot Amazon EC2 Auto Scaling" in its user guide (pages "EC2 instance launch
 * failures", "AMI issues" and "Load balancer issues"); "Error codes for the Amazon EC2 API"; for spot, issues 3241, 4731 and 5789 of the
 * cluster-autoscaler's and Karpenter's trackers.
 */
final class LaunchFailures {

    /** A part of a status message, in lower case, and its meaning. The first match decides. */
    private record Rule(String part, FailureKind kind) {}

    private static final List<Rule> RULES = List.of(
            // Limits of the account are first, since their texts mention capacity too.
            new Rule("max spot instance count exceeded", FailureKind.QUOTA),
            new Rule("maxspotinstancecountexceeded", FailureKind.QUOTA),
            new Rule("your current instance limit", FailureKind.QUOTA),
            new Rule("your current vcpu limit", FailureKind.QUOTA),
            new Rule("instancelimitexceeded", FailureKind.QUOTA),
            new Rule("vcpulimitexceeded", FailureKind.QUOTA),
            new Rule("volumelimitexceeded", FailureKind.QUOTA),
            new Rule("volume limit exceeded", FailureKind.QUOTA),
            new Rule("maximum number of volumes", FailureKind.QUOTA),
            new Rule("addresslimitexceeded", FailureKind.QUOTA),
            new Rule("insufficientfreeaddressesinsubnet", FailureKind.QUOTA),
            new Rule("not have enough free addresses", FailureKind.QUOTA),
            // Throttling is not the fault of the group.
            new Rule("requestlimitexceeded", FailureKind.THROTTLED),
            new Rule("request limit exceeded", FailureKind.THROTTLED),
            new Rule("rate exceeded", FailureKind.THROTTLED),
            // Insufficient capacity. In a spot group, the kind becomes SPOT_CAPACITY.
            new Rule("insufficientinstancecapacity", FailureKind.CAPACITY),
            new Rule("insufficienthostcapacity", FailureKind.CAPACITY),
            new Rule("insufficientcapacity", FailureKind.CAPACITY),
            new Rule("insufficientreservedinstancecapacity", FailureKind.CAPACITY),
            new Rule("reservationcapacityexceeded", FailureKind.CAPACITY),
            new Rule("unfulfillablecapacity", FailureKind.CAPACITY),
            new Rule("unable to fulfill capacity", FailureKind.CAPACITY),
            new Rule("do not have sufficient", FailureKind.CAPACITY),
            new Rule("no spot capacity available", FailureKind.CAPACITY),
            new Rule("insufficient capacity", FailureKind.CAPACITY),
            new Rule("spotmaxpricetoolow", FailureKind.CAPACITY),
            new Rule("is lower than the minimum required spot request fulfillment price", FailureKind.CAPACITY),
            // Failures that waiting does not fix.
            new Rule("not supported in your requested availability zone", FailureKind.INVALID_CONFIGURATION),
            new Rule("requested configuration is currently not supported", FailureKind.INVALID_CONFIGURATION),
            new Rule("requested availability zone is no longer supported", FailureKind.INVALID_CONFIGURATION),
            new Rule("does not exist", FailureKind.INVALID_CONFIGURATION),
            new Rule("invalid device name", FailureKind.INVALID_CONFIGURATION),
            new Rule("invalid iaminstanceprofile", FailureKind.INVALID_CONFIGURATION),
            new Rule("invalid iam instance profile", FailureKind.INVALID_CONFIGURATION),
            new Rule("not a valid parameter", FailureKind.INVALID_CONFIGURATION),
            new Rule("invalidamiid", FailureKind.INVALID_CONFIGURATION),
            new Rule("invalidparameter", FailureKind.INVALID_CONFIGURATION),
            new Rule("marketplace subscription", FailureKind.INVALID_CONFIGURATION),
            new Rule("optinrequired", FailureKind.INVALID_CONFIGURATION),
            new Rule("invalidkmskey", FailureKind.INVALID_CONFIGURATION),
            new Rule("client.internalerror", FailureKind.INVALID_CONFIGURATION),
            new Rule("not authorized", FailureKind.AUTH),
            new Rule("unauthorizedoperation", FailureKind.AUTH),
            new Rule("authfailure", FailureKind.AUTH),
            new Rule("internal error", FailureKind.TRANSIENT),
            new Rule("server.internalerror", FailureKind.TRANSIENT));

    private LaunchFailures() {}

    /**
     * Returns the latest failure of each kind. A failure is left out if AWS found an instance later, for example in another zone or of
     * another type. Each instance makes up for one failure: the latest failure before the launch of the instance.
     *
     * @param spot whether the group launches spot instances
     */
    static List<Failure> of(Collection<Activity> activities, boolean spot) {
        var latest = new EnumMap<FailureKind, Failure>(FailureKind.class);
        for (var launch : standing(activities, spot)) {
            kind(launch, spot)
                    .ifPresent(kind ->
                            latest.put(kind, new Failure(kind, ApiErrors.legible(launch.message()), launch.noticed())));
        }
        return List.copyOf(latest.values());
    }

    /** Returns the failures that no later launch has made obsolete, the oldest first. */
    private static List<Activity> standing(Collection<Activity> activities, boolean spot) {
        var launches = activities.stream().filter(Activity::isLaunch).toList();
        var standing = launches.stream()
                .filter(launch -> launch.failed() && kind(launch, spot).isPresent())
                .sorted(Comparator.comparing(Activity::at))
                .collect(Collectors.toCollection(ArrayList::new));
        launches.stream()
                .filter(Activity::gotInstance)
                .sorted(Comparator.comparing(Activity::start))
                .forEach(launch -> standing.stream()
                        .filter(launch::makesUpFor)
                        .reduce((earlier, later) -> later)
                        .ifPresent(standing::remove));
        return standing;
    }

    /**
     * Returns the kind of a failure; empty if the launch was cancelled, for example by a withdrawn request, or if AWS throttled the launch
     * and will retry.
     */
    private static Optional<FailureKind> kind(Activity launch, boolean spot) {
        var text = launch.message().toLowerCase(Locale.ROOT);
        var kind = RULES.stream()
                .filter(rule -> text.contains(rule.part()))
                .map(Rule::kind)
                .findFirst();
        if (kind.isEmpty()) {
            return launch.status().equals("Cancelled") ? Optional.empty() : Optional.of(FailureKind.TRANSIENT);
        }
        if (kind.get() == FailureKind.THROTTLED) {
            return Optional.empty();
        }
        boolean ofSpot = spot || text.contains("spot");
        return kind.map(k -> k == FailureKind.CAPACITY && ofSpot ? FailureKind.SPOT_CAPACITY : k);
    }
}
