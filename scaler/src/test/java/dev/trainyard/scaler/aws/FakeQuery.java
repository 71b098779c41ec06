package dev.trainyard.scaler.aws;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What AWS's query APIs answer, in the XML of their references. */
final class FakeQuery {

    private final FakeAws aws;
    private final Clock clock;

    FakeQuery(FakeAws aws, Clock clock) {
        this.aws = aws;
        this.clock = clock;
    }

    record Answer(int status, String xml) {}

    Answer answer(String action, Map<String, String> form) {
        return switch (action) {
            case "DescribeAutoScalingGroups" ->
                page(
                        action,
                        "AutoScalingGroups",
                        groups(members(form, "AutoScalingGroupNames.member.")),
                        form,
                        this::group);
            case "DescribeScalingActivities" ->
                page(action, "Activities", activities(form.get("AutoScalingGroupName")), form, this::activity);
            case "DescribeLaunchConfigurations" ->
                page(
                        action,
                        "LaunchConfigurations",
                        members(form, "LaunchConfigurationNames.member."),
                        form,
                        name ->
                                "<member><LaunchConfigurationName>%s</LaunchConfigurationName><InstanceType>g2.2xlarge</InstanceType><ImageId>ami-1</ImageId><SpotPrice>0.5</SpotPrice></member>"
                                        .formatted(name));
            case "SetDesiredCapacity" -> setDesiredCapacity(form);
            case "TerminateInstanceInAutoScalingGroup" -> terminate(form);
            case "SetInstanceProtection" -> protect(form);
            case "DescribeInstances" -> instances(members(form, "Filter.1.Value."));
            case "DescribeLaunchTemplateVersions" -> new Answer(200, """
                        <DescribeLaunchTemplateVersionsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><launchTemplateVersionSet><item>
                        <launchTemplateId>%s</launchTemplateId><versionNumber>3</versionNumber><launchTemplateData><instanceType>p3.2xlarge</instanceType>
                        <imageId>ami-2</imageId><instanceMarketOptions><marketType>spot</marketType></instanceMarketOptions></launchTemplateData>
                        </item></launchTemplateVersionSet></DescribeLaunchTemplateVersionsResponse>""".formatted(form.get("LaunchTemplateId")));
            default -> new Answer(400, error(action, "InvalidAction", "Could not find operation " + action));
        };
    }

    static String error(String action, String code, String message) {
        // EC2 has a form of its own.
        return action.equals("DescribeInstances") || action.equals("DescribeLaunchTemplateVersions")
                ? "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>r</RequestID></Response>"
                        .formatted(code, escaped(message))
                : "<ErrorResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\"><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error><RequestId>r</RequestId></ErrorResponse>"
                        .formatted(code, escaped(message));
    }

    private Answer validation(String action, String message) {
        return new Answer(400, error(action, "ValidationError", message));
    }

    private Answer setDesiredCapacity(Map<String, String> form) {
        var group = aws.groups.get(form.get("AutoScalingGroupName"));
        int desired = Integer.parseInt(form.get("DesiredCapacity"));
        if (group == null) {
            return validation("SetDesiredCapacity", "AutoScalingGroup name not found - null");
        }
        if (desired > group.max) {
            return validation(
                    "SetDesiredCapacity",
                    "New SetDesiredCapacity value %d is above max value %d for the AutoScalingGroup."
                            .formatted(desired, group.max));
        }
        if (desired < group.min) {
            return validation(
                    "SetDesiredCapacity",
                    "New SetDesiredCapacity value %d is below min value %d for the AutoScalingGroup."
                            .formatted(desired, group.min));
        }
        if (!"false".equals(form.get("HonorCooldown"))) {
            return new Answer(400, error("SetDesiredCapacity", "ScalingActivityInProgress", "cooldown"));
        }
        aws.beforeChange.run();
        group.resize(desired);
        return done("SetDesiredCapacity", "");
    }

    private Answer terminate(Map<String, String> form) {
        var action = "TerminateInstanceInAutoScalingGroup";
        var id = form.get("InstanceId");
        for (var group : aws.groups.values()) {
            for (var instance : group.instances) {
                if (instance.id.equals(id)) {
                    boolean decrement = Boolean.parseBoolean(form.get("ShouldDecrementDesiredCapacity"));
                    if (decrement && group.desired - 1 < group.min) {
                        return validation(
                                action,
                                "Currently, desiredSize equals minSize (%d). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size."
                                        .formatted(group.min));
                    }
                    aws.beforeChange.run();
                    // AWS does not say what a second order does; this is the worst that it can.
                    group.desired -= decrement ? 1 : 0;
                    instance.lifecycle = "Terminating";
                    return done(action, "<Activity>%s</Activity>".formatted(""));
                }
            }
        }
        return validation(action, "Instance Id not found - No managed instance found for instance ID: " + id);
    }

    private Answer protect(Map<String, String> form) {
        var group = aws.groups.get(form.get("AutoScalingGroupName"));
        var ids = members(form, "InstanceIds.member.");
        if (ids.size() > 50) {
            return validation("SetInstanceProtection", "too many instance ids");
        }
        for (var id : ids) {
            var instance = group.instances.stream()
                    .filter(i -> i.id.equals(id))
                    .findFirst()
                    .orElse(null);
            if (instance == null || !instance.lifecycle.equals("InService")) {
                return validation(
                        "SetInstanceProtection",
                        "The instance %s is not in InService or EnteringStandby or Standby.".formatted(id));
            }
        }
        group.instances.stream().filter(i -> ids.contains(i.id)).forEach(i -> i.isProtected = true);
        return done("SetInstanceProtection", "");
    }

    private Answer instances(List<String> ids) {
        var items = aws.groups.values().stream()
                .flatMap(group -> group.instances.stream())
                .filter(instance -> ids.contains(instance.id))
                .map(instance ->
                        "<item><instancesSet><item><instanceId>%s</instanceId><launchTime>%s</launchTime><privateDnsName>ip-%s.eu-west-1.compute.internal</privateDnsName></item></instancesSet></item>"
                                .formatted(instance.id, instance.launched, instance.id))
                .collect(Collectors.joining());
        return new Answer(
                200,
                "<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><reservationSet>%s</reservationSet></DescribeInstancesResponse>"
                        .formatted(items));
    }

    private List<FakeGroup> groups(List<String> names) {
        return aws.groups.values().stream()
                .filter(group -> names.isEmpty() || names.contains(group.name))
                .toList();
    }

    private List<FakeGroup.FakeActivity> activities(String group) {
        return aws.groups.containsKey(group) ? new ArrayList<>(aws.groups.get(group).activities) : List.of();
    }

    private String group(FakeGroup group) {
        return """
                <member><AutoScalingGroupName>%s</AutoScalingGroupName><MinSize>%d</MinSize><MaxSize>%d</MaxSize><DesiredCapacity>%d</DesiredCapacity>
                <CreatedTime>%s</CreatedTime><NewInstancesProtectedFromScaleIn>%s</NewInstancesProtectedFromScaleIn>
                <AvailabilityZones>%s</AvailabilityZones><SuspendedProcesses>%s</SuspendedProcesses><Tags>%s</Tags><Instances>%s</Instances>%s</member>""".formatted(
                        escaped(group.name),
                        group.min,
                        group.max,
                        group.desired,
                        clock.instant(),
                        group.protectsNew,
                        each(group.zones, zone -> "<member>%s</member>".formatted(zone)),
                        each(group.suspended, p -> "<member><ProcessName>%s</ProcessName></member>".formatted(p)),
                        each(
                                group.tags.entrySet(),
                                tag -> "<member><Key>%s</Key><Value>%s</Value></member>"
                                        .formatted(escaped(tag.getKey()), escaped(tag.getValue()))),
                        each(
                                group.instances,
                                i ->
                                        "<member><InstanceId>%s</InstanceId><AvailabilityZone>eu-west-1a</AvailabilityZone><LifecycleState>%s</LifecycleState><HealthStatus>Healthy</HealthStatus><ProtectedFromScaleIn>%s</ProtectedFromScaleIn></member>"
                                                .formatted(i.id, i.lifecycle, i.isProtected)),
                        group.more);
    }

    private String activity(FakeGroup.FakeActivity activity) {
        return """
                <member><ActivityId>%s</ActivityId><Description>%s</Description><StatusCode>%s</StatusCode><StatusMessage>%s</StatusMessage>
                <StartTime>%s</StartTime>%s<Cause>At a time a user request changed the desired capacity from 0 to 5.</Cause></member>""".formatted(
                        activity.id(),
                        escaped(activity.description()),
                        activity.status(),
                        escaped(activity.message()),
                        activity.start(),
                        activity.end() == null ? "" : "<EndTime>%s</EndTime>".formatted(activity.end()));
    }

    private static <T> String each(Collection<T> items, Function<T, String> xml) {
        return items.stream().map(xml).collect(Collectors.joining());
    }

    /** One page; its token is where the next one begins. */
    private <T> Answer page(
            String action, String list, List<T> all, Map<String, String> form, Function<T, String> xml) {
        int from = Integer.parseInt(form.getOrDefault("NextToken", "0"));
        int to = Math.min(all.size(), from + aws.pageSize);
        return done(
                action,
                "<%s>%s</%s>%s"
                        .formatted(
                                list,
                                each(all.subList(Math.min(from, to), to), xml),
                                list,
                                to < all.size() ? "<NextToken>%d</NextToken>".formatted(to) : ""));
    }

    private static Answer done(String action, String result) {
        return new Answer(
                200,
                "<%sResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\"><%sResult>%s</%sResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></%sResponse>"
                        .formatted(action, action, result, action, action));
    }

    /** The values of a list parameter: {@code Names.member.1=a&Names.member.2=b}. */
    private static List<String> members(Map<String, String> form, String prefix) {
        var members = new ArrayList<String>();
        for (int i = 1; form.containsKey(prefix + i); i++) {
            members.add(form.get(prefix + i));
        }
        return members;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
