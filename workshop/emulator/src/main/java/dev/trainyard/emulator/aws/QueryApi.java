package dev.trainyard.emulator.aws;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The query APIs of AWS, with answers in the XML of AWS's API references. Callers hold the emulator's lock. */
final class QueryApi {

    private static final String SET = "SetDesiredCapacity";
    private static final String TERMINATE = "TerminateInstanceInAutoScalingGroup";
    private static final String PROTECT = "SetInstanceProtection";
    private static final String INSTANCES = "DescribeInstances";
    private static final String TYPES = "DescribeInstanceTypes";
    private static final String ZONES = "DescribeAvailabilityZones";
    private static final String SCORES = "GetSpotPlacementScores";
    private static final String TEMPLATES = "DescribeLaunchTemplateVersions";

    /** The limit of instances in a request, from the API reference of SetInstanceProtection. */
    private static final int PROTECTIONS_AT_ONCE = 50;

    /** The number of types with which scores are useful, from the EC2 user guide, page "Spot placement score". */
    private static final int FEWEST_SCORED_TYPES = 3;

    private final AwsEmulator aws;

    QueryApi(AwsEmulator aws) {
        this.aws = aws;
    }

    record Answer(int status, String xml) {}

    Answer answer(AwsRequest request) {
        if ("true".equals(request.parameter("DryRun"))) {
            return error(request, 412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
        }
        return switch (request.action()) {
            case "DescribeAutoScalingGroups" ->
                page(request, "AutoScalingGroups", groups(request.members("AutoScalingGroupNames.member.")), this::xml);
            case "DescribeScalingActivities" ->
                page(
                        request,
                        "Activities",
                        group(request).map(EmulatedGroup::activities).orElse(List.of()),
                        QueryApi::xml);
            case "DescribeLaunchConfigurations" ->
                page(
                        request,
                        "LaunchConfigurations",
                        request.members("LaunchConfigurationNames.member."),
                        this::launchConfiguration);
            case "DescribeLifecycleHooks" ->
                group(request)
                        .map(group -> done(
                                request,
                                "<LifecycleHooks>%s</LifecycleHooks>"
                                        .formatted(each(group.hooks(), hook -> xml(group, hook)))))
                        .orElseGet(() -> validation(request, "AutoScalingGroup name not found - null"));
            case "CompleteLifecycleAction" -> completeLifecycleAction(request);
            case SET -> setDesiredCapacity(request);
            case TERMINATE -> terminate(request);
            case PROTECT -> protect(request);
            case INSTANCES -> instances(request.members("Filter.1.Value."));
            case TYPES -> instanceTypes(request);
            case ZONES -> zones(request.members("Filter.1.Value."));
            case SCORES -> spotScores(request);
            case TEMPLATES -> launchTemplate(request.parameter("LaunchTemplateId", ""));
            default -> error(request, 400, "InvalidAction", "Could not find operation " + request.action());
        };
    }

    static Answer error(AwsRequest request, int status, String code, String message) {
        // EC2 has its own error format.
        boolean ofEc2 = List.of(INSTANCES, TEMPLATES, TYPES, ZONES, SCORES).contains(request.action());
        return new Answer(
                status,
                (ofEc2
                                ? "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>r</RequestID></Response>"
                                : "<ErrorResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\"><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error><RequestId>r</RequestId></ErrorResponse>")
                        .formatted(code, escaped(message)));
    }

    private static Answer validation(AwsRequest request, String message) {
        return error(request, 400, "ValidationError", message);
    }

    private Answer setDesiredCapacity(AwsRequest request) {
        var group = group(request).orElse(null);
        if (group == null) {
            return validation(request, "AutoScalingGroup name not found - null");
        }
        int wanted = Integer.parseInt(request.parameter("DesiredCapacity", ""));
        if (wanted > group.max()) {
            return validation(
                    request,
                    "New SetDesiredCapacity value %d is above max value %d for the AutoScalingGroup."
                            .formatted(wanted, group.max()));
        }
        if (wanted < group.min()) {
            return validation(
                    request,
                    "New SetDesiredCapacity value %d is below min value %d for the AutoScalingGroup."
                            .formatted(wanted, group.min()));
        }
        if (!"false".equals(request.parameter("HonorCooldown"))) {
            return error(request, 400, "ScalingActivityInProgress", "cooldown");
        }
        aws.aboutToChange();
        group.resize(wanted);
        return done(request, "");
    }

    private Answer terminate(AwsRequest request) {
        var id = request.parameter("InstanceId", "");
        for (var group : aws.groups()) {
            for (var instance : group.instances()) {
                if (instance.id().equals(id)) {
                    return terminate(request, group, instance);
                }
            }
        }
        return validation(request, "Instance Id not found - No managed instance found for instance ID: " + id);
    }

    private Answer terminate(AwsRequest request, EmulatedGroup group, EmulatedInstance instance) {
        boolean decrement = Boolean.parseBoolean(request.parameter("ShouldDecrementDesiredCapacity"));
        if (decrement && group.desired() - 1 < group.min()) {
            return validation(
                    request,
                    "Currently, desiredSize equals minSize (%d). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size."
                            .formatted(group.min()));
        }
        aws.aboutToChange();
        group.end(instance, decrement);
        return done(request, "<Activity></Activity>");
    }

    private Answer completeLifecycleAction(AwsRequest request) {
        var id = request.parameter("InstanceId", "");
        boolean delayed = group(request).stream()
                .flatMap(group -> group.instances().stream())
                .filter(instance -> instance.id().equals(id))
                .anyMatch(instance -> instance.complete(
                        request.parameter("LifecycleHookName", ""), aws.clock().instant()));
        return delayed
                ? done(request, "")
                : validation(request, "No active Lifecycle Action found with instance ID " + id);
    }

    private Answer protect(AwsRequest request) {
        var group = group(request).orElse(null);
        if (group == null) {
            return validation(request, "AutoScalingGroup name not found - null");
        }
        var ids = request.members("InstanceIds.member.");
        if (ids.size() > PROTECTIONS_AT_ONCE) {
            return validation(request, "too many instance ids");
        }
        for (var id : ids) {
            if (group.instances().stream().noneMatch(i -> i.id().equals(id) && i.canBeProtected())) {
                return validation(
                        request, "The instance %s is not in InService or EnteringStandby or Standby.".formatted(id));
            }
        }
        group.instances().stream().filter(i -> ids.contains(i.id())).forEach(EmulatedInstance::protect);
        return done(request, "");
    }

    private Answer instances(List<String> ids) {
        var items = each(
                aws.groups(),
                group -> each(
                        group.instances().stream()
                                .filter(instance -> ids.contains(instance.id()))
                                .toList(),
                        instance -> ofEc2(group, instance)));
        return new Answer(
                200,
                "<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><reservationSet>%s</reservationSet></DescribeInstancesResponse>"
                        .formatted(items));
    }

    private static String ofEc2(EmulatedGroup group, EmulatedInstance instance) {
        return "<item><instancesSet><item><instanceId>%s</instanceId><launchTime>%s</launchTime><privateDnsName>%s</privateDnsName>%s</item></instancesSet></item>"
                .formatted(
                        instance.id(),
                        instance.launched(),
                        // A pending instance has no name, as EC2's reference states. On-demand instances have no
                        // lifecycle element.
                        instance.isPending() ? "" : instance.name(),
                        group.isSpot() ? "<instanceLifecycle>spot</instanceLifecycle>" : "");
    }

    private Answer instanceTypes(AwsRequest request) {
        var named = request.members("InstanceType.");
        for (var name : named) {
            if (aws.sold(name).isEmpty()) {
                return error(
                        request,
                        400,
                        "InvalidInstanceType",
                        "The following supplied instance types do not exist: [%s]".formatted(name));
            }
        }
        var wanted = named.isEmpty() && "instance-type".equals(request.parameter("Filter.1.Name"))
                ? request.members("Filter.1.Value.")
                : named;
        var items = each(wanted, name -> aws.sold(name).map(SoldType::xml).orElse(""));
        return new Answer(
                200,
                "<DescribeInstanceTypesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><instanceTypeSet>%s</instanceTypeSet></DescribeInstanceTypesResponse>"
                        .formatted(items));
    }

    private static Answer zones(List<String> names) {
        var items = each(
                AwsEmulator.zoneNames().stream().filter(names::contains).toList(),
                name ->
                        "<item><zoneName>%s</zoneName><zoneState>available</zoneState><regionName>%s</regionName><zoneId>%s</zoneId><zoneType>availability-zone</zoneType></item>"
                                .formatted(name, AwsEmulator.REGION, AwsEmulator.zoneId(name)));
        return new Answer(
                200,
                "<DescribeAvailabilityZonesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><availabilityZoneInfo>%s</availabilityZoneInfo></DescribeAvailabilityZonesResponse>"
                        .formatted(items));
    }

    /** Returns scores of the region or of its zones, the highest first. With too few types, each score is 1. */
    private Answer spotScores(AwsRequest request) {
        var types = request.members("InstanceType.");
        if (request.parameter("TargetCapacity") == null || types.isEmpty()) {
            return error(
                    request, 400, "MissingParameter", "The request must contain TargetCapacity and InstanceTypes.");
        }
        boolean few = types.stream().distinct().count() < FEWEST_SCORED_TYPES;
        boolean byZone = "true".equals(request.parameter("SingleAvailabilityZone"));
        var places = new ArrayList<>(
                byZone
                        ? AwsEmulator.zoneNames().stream()
                                .map(AwsEmulator::zoneId)
                                .toList()
                        : List.of(AwsEmulator.REGION));
        places.sort(Comparator.comparing((String place) -> -aws.spotScore(place)));
        int from = Integer.parseInt(request.parameter("NextToken", "0"));
        int to = Math.min(places.size(), from + aws.pageSize());
        var items = each(
                places.subList(Math.min(from, to), to),
                place -> "<item><region>%s</region>%s<score>%d</score></item>"
                        .formatted(
                                AwsEmulator.REGION,
                                byZone ? "<availabilityZoneId>%s</availabilityZoneId>".formatted(place) : "",
                                few ? 1 : aws.spotScore(place)));
        return new Answer(
                200,
                "<GetSpotPlacementScoresResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>r</requestId><spotPlacementScoreSet>%s</spotPlacementScoreSet>%s</GetSpotPlacementScoresResponse>"
                        .formatted(items, to < places.size() ? "<nextToken>%d</nextToken>".formatted(to) : ""));
    }

    private Answer launchTemplate(String id) {
        var market =
                isOfOnDemand(id) ? "" : "<instanceMarketOptions><marketType>spot</marketType></instanceMarketOptions>";
        return new Answer(200, """
                <DescribeLaunchTemplateVersionsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><launchTemplateVersionSet><item>
                <launchTemplateId>%s</launchTemplateId><versionNumber>3</versionNumber><launchTemplateData><instanceType>p3.2xlarge</instanceType>
                <imageId>ami-2</imageId>%s</launchTemplateData>
                </item></launchTemplateVersionSet></DescribeLaunchTemplateVersionsResponse>""".formatted(id, market));
    }

    private String launchConfiguration(String name) {
        return "<member><LaunchConfigurationName>%s</LaunchConfigurationName><InstanceType>g2.2xlarge</InstanceType><ImageId>ami-1</ImageId>%s</member>"
                .formatted(escaped(name), isOfOnDemand(name) ? "" : "<SpotPrice>0.5</SpotPrice>");
    }

    /** Whether the launch template or launch configuration belongs to an on-demand group. */
    private boolean isOfOnDemand(String source) {
        return aws.groups().stream()
                .anyMatch(group -> !group.isSpot() && group.source().contains(">" + source + "<"));
    }

    private Optional<EmulatedGroup> group(AwsRequest request) {
        var name = request.parameter("AutoScalingGroupName", "");
        return aws.groups().stream().filter(group -> group.name().equals(name)).findFirst();
    }

    private List<EmulatedGroup> groups(List<String> names) {
        return aws.groups().stream()
                .filter(group -> names.isEmpty() || names.contains(group.name()))
                .toList();
    }

    private String xml(EmulatedGroup group) {
        return """
                <member><AutoScalingGroupName>%s</AutoScalingGroupName><MinSize>%d</MinSize><MaxSize>%d</MaxSize><DesiredCapacity>%d</DesiredCapacity>
                <CreatedTime>%s</CreatedTime><NewInstancesProtectedFromScaleIn>%s</NewInstancesProtectedFromScaleIn>
                <AvailabilityZones>%s</AvailabilityZones><SuspendedProcesses>%s</SuspendedProcesses><Tags>%s</Tags><Instances>%s</Instances>%s</member>""".formatted(
                        escaped(group.name()),
                        group.min(),
                        group.max(),
                        group.desired(),
                        aws.clock().instant(),
                        group.protectsNew(),
                        each(group.zones(), zone -> "<member>%s</member>".formatted(zone)),
                        each(group.suspended(), p -> "<member><ProcessName>%s</ProcessName></member>".formatted(p)),
                        each(
                                group.tags().entrySet(),
                                tag -> "<member><Key>%s</Key><Value>%s</Value></member>"
                                        .formatted(escaped(tag.getKey()), escaped(tag.getValue()))),
                        each(group.instances(), this::xml),
                        group.source());
    }

    private static String xml(EmulatedGroup group, String hook) {
        return "<member><AutoScalingGroupName>%s</AutoScalingGroupName><LifecycleTransition>autoscaling:EC2_INSTANCE_TERMINATING</LifecycleTransition><GlobalTimeout>172800</GlobalTimeout><LifecycleHookName>%s</LifecycleHookName><HeartbeatTimeout>3600</HeartbeatTimeout><DefaultResult>CONTINUE</DefaultResult></member>"
                .formatted(escaped(group.name()), hook);
    }

    private String xml(EmulatedInstance instance) {
        return "<member><InstanceId>%s</InstanceId><AvailabilityZone>%s</AvailabilityZone><LifecycleState>%s</LifecycleState><HealthStatus>Healthy</HealthStatus><ProtectedFromScaleIn>%s</ProtectedFromScaleIn></member>"
                .formatted(
                        instance.id(),
                        instance.zone(),
                        instance.lifecycleAt(aws.clock().instant().minus(aws.readLag())),
                        instance.isProtected());
    }

    private static String xml(EmulatedActivity activity) {
        return """
                <member><ActivityId>%s</ActivityId><Description>%s</Description><StatusCode>%s</StatusCode><StatusMessage>%s</StatusMessage>
                <StartTime>%s</StartTime>%s<Cause>%s</Cause></member>""".formatted(
                        activity.id(),
                        escaped(activity.description()),
                        activity.status(),
                        escaped(activity.message()),
                        activity.at(),
                        activity.goesOn() ? "" : "<EndTime>%s</EndTime>".formatted(activity.at()),
                        escaped(activity.cause()));
    }

    private static <T> String each(Collection<T> items, Function<T, String> xml) {
        return items.stream().map(xml).collect(Collectors.joining());
    }

    /** Returns one page of a list. NextToken is the index of the next page's first entry. */
    private <T> Answer page(AwsRequest request, String list, List<T> all, Function<T, String> xml) {
        int from = Integer.parseInt(request.parameter("NextToken", "0"));
        int to = Math.min(all.size(), from + aws.pageSize());
        return done(
                request,
                "<%s>%s</%s>%s"
                        .formatted(
                                list,
                                each(all.subList(Math.min(from, to), to), xml),
                                list,
                                to < all.size() ? "<NextToken>%d</NextToken>".formatted(to) : ""));
    }

    private static Answer done(AwsRequest request, String result) {
        var action = request.action();
        return new Answer(
                200,
                "<%sResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\"><%sResult>%s</%sResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></%sResponse>"
                        .formatted(action, action, result, action, action));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
