package dev.trainyard.cloud.aws;

import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.autoscaling.AutoScalingClient;
import software.amazon.awssdk.services.autoscaling.model.LaunchConfiguration;
import software.amazon.awssdk.services.autoscaling.model.LifecycleHook;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.AvailabilityZone;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

/**
 * The AWS actions that the scaler uses, in one region. Only this class makes requests: a new kind of request needs a new action in
 * {@code manifests/aws/iam-policy.json}. Paged answers are read completely or not at all. Thread-safe.
 */
final class AwsCalls implements AutoCloseable {

    /** API reference of DescribeAutoScalingGroups: at most 100 records, and at most 100 names. */
    private static final int GROUPS_AT_ONCE = 100;
    /** The maximum in the API reference of DescribeLaunchConfigurations. */
    private static final int CONFIGURATIONS_AT_ONCE = 50;
    /** The maximum in the API reference of SetInstanceProtection. */
    private static final int PROTECTIONS_AT_ONCE = 50;
    /** EC2 user guide, page Using_Filtering: a filter has at most 200 values. */
    private static final int INSTANCES_AT_ONCE = 200;

    private static final int ACTIVITIES_AT_ONCE = 100;
    /** The maximum number of pages. No correct answer has more. */
    private static final int MOST_PAGES = 200;

    /** The maximum in the API references of ReceiveMessage and DeleteMessageBatch. */
    private static final int MESSAGES_AT_ONCE = 10;

    /** How long AWS waits for a message before it answers that there is none. The maximum in the API reference of ReceiveMessage. */
    static final Duration LONG_POLL = Duration.ofSeconds(20);

    /** How long AWS waits before it delivers a message again. Ten messages are handled within milliseconds. */
    static final Duration REDELIVERY = Duration.ofSeconds(10);

    /** The actions that {@link #dryRun} supports. */
    static final List<String> DRY_RUNS =
            List.of("ec2:DescribeInstances", "ec2:DescribeLaunchTemplateVersions", "ec2:DescribeInstanceTypes");

    /** The actions that {@link #dryRun} supports and that the scaler can do without. They serve {@link PlacementScores}. */
    static final List<String> OPTIONAL_DRY_RUNS =
            List.of("ec2:DescribeAvailabilityZones", "ec2:GetSpotPlacementScores");

    /** EC2's error code for a dry run of an action that would have been permitted. */
    private static final String WOULD_HAVE_BEEN_DONE = "DryRunOperation";

    private final AwsClients clients;

    AwsCalls(String region, AwsSettings settings) {
        this.clients = new AwsClients(region, settings);
    }

    /** Returns the named groups that exist. */
    List<Group> groups(Collection<String> names) throws ProviderException {
        var groups = new ArrayList<Group>();
        for (var some : portions(names, GROUPS_AT_ONCE)) {
            groups.addAll(describe(some));
        }
        return groups;
    }

    /** Returns all groups of the region. */
    List<Group> allGroups() throws ProviderException {
        return describe(List.of());
    }

    private List<Group> describe(List<String> names) throws ProviderException {
        return pages("autoscaling:DescribeAutoScalingGroups", token -> {
            var page = reading()
                    .describeAutoScalingGroups(request -> request.autoScalingGroupNames(names)
                            .maxRecords(GROUPS_AT_ONCE)
                            .nextToken(token));
            return new Page<>(
                    page.autoScalingGroups().stream().map(InstanceShapes::group).toList(), page.nextToken());
        });
    }

    /** Returns the current and past activities of a group, back to {@code since} at least. */
    List<Activity> activities(String group, Instant since) throws ProviderException {
        return pages("autoscaling:DescribeScalingActivities", token -> {
            var page = reading()
                    .describeScalingActivities(request -> request.autoScalingGroupName(group)
                            .maxRecords(ACTIVITIES_AT_ONCE)
                            .nextToken(token));
            var activities =
                    page.activities().stream().map(InstanceShapes::activity).toList();
            // AWS returns activities in progress first, whenever they began. Only ended activities are sorted by time.
            boolean farEnough = activities.stream()
                    .anyMatch(a -> a.end().isPresent() && a.start().isBefore(since));
            return new Page<>(activities, farEnough ? null : page.nextToken());
        });
    }

    /** Sets the desired capacity, even during the group's cooldown. */
    void setDesiredCapacity(String group, int desired) throws ProviderException {
        call(
                "autoscaling:SetDesiredCapacity",
                () -> writing()
                        .setDesiredCapacity(request -> request.autoScalingGroupName(group)
                                .desiredCapacity(desired)
                                .honorCooldown(false)));
    }

    /** The result of a request to terminate an instance. */
    enum Termination {
        ORDERED,
        /** AWS knows no such instance in a group. */
        GONE,
        /** The group is at its minimum size. */
        AT_MINIMUM
    }

    /**
     * Terminates an instance.
     *
     * @param lower whether to lower the group's desired capacity by one; if false, AWS replaces the instance, unless the group has more
     *     instances than desired
     */
    Termination terminate(String instance, boolean lower) throws ProviderException {
        var action = "autoscaling:TerminateInstanceInAutoScalingGroup";
        try {
            writing()
                    .terminateInstanceInAutoScalingGroup(
                            request -> request.instanceId(instance).shouldDecrementDesiredCapacity(lower));
            return Termination.ORDERED;
        } catch (AwsServiceException e) {
            var words = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            if (ApiErrors.isValidation(e) && words.contains("min size")) {
                return Termination.AT_MINIMUM;
            }
            if (ApiErrors.isValidation(e) && (words.contains("not found") || words.contains("no managed instance"))) {
                return Termination.GONE;
            }
            throw masked(ApiErrors.of(action, e, fault()));
        } catch (SdkException e) {
            throw masked(ApiErrors.of(action, e, fault()));
        } catch (RuntimeException e) {
            throw unreadable(action, e);
        }
    }

    /** Returns the names of the lifecycle hooks that delay the termination of a group's instances. */
    List<String> terminationHooks(String group) throws ProviderException {
        return call(
                "autoscaling:DescribeLifecycleHooks",
                () ->
                        reading()
                                .describeLifecycleHooks(request -> request.autoScalingGroupName(group))
                                .lifecycleHooks()
                                .stream()
                                .filter(hook ->
                                        "autoscaling:EC2_INSTANCE_TERMINATING".equals(hook.lifecycleTransition()))
                                .map(LifecycleHook::lifecycleHookName)
                                .toList());
    }

    /** Completes a lifecycle hook for an instance. Has no effect if the hook does not delay the instance any more. Other hooks still do. */
    void complete(String group, String hook, String instance) throws ProviderException {
        var action = "autoscaling:CompleteLifecycleAction";
        call(action, () -> {
            try {
                writing()
                        .completeLifecycleAction(request -> request.autoScalingGroupName(group)
                                .lifecycleHookName(hook)
                                .instanceId(instance)
                                .lifecycleActionResult("CONTINUE"));
            } catch (AwsServiceException e) {
                if (!ApiErrors.isValidation(e)
                        || !e.awsErrorDetails().errorMessage().contains("No active Lifecycle Action")) {
                    throw e;
                }
            }
            return action;
        });
    }

    /** Protects instances from termination when AWS shrinks the group. The instances must be in service, or in standby. */
    void protect(String group, List<String> instances) throws ProviderException {
        for (var some : portions(instances, PROTECTIONS_AT_ONCE)) {
            call(
                    "autoscaling:SetInstanceProtection",
                    () -> writing()
                            .setInstanceProtection(request -> request.autoScalingGroupName(group)
                                    .instanceIds(some)
                                    .protectedFromScaleIn(true)));
        }
    }

    /** Returns the launch times and names of instances, by id. Instances that EC2 does not know yet are left out. */
    Map<String, Birth> births(Collection<String> instances) throws ProviderException {
        var births = new HashMap<String, Birth>();
        for (var some : portions(instances, INSTANCES_AT_ONCE)) {
            // The filter is needed: a request by ids fails as a whole if EC2 does not know one of them yet.
            var found = pages("ec2:DescribeInstances", token -> {
                var page = ec2().describeInstances(request -> request.filters(Filter.builder()
                                .name("instance-id")
                                .values(some)
                                .build())
                        .maxResults(1000)
                        .nextToken(token));
                return new Page<>(
                        page.reservations().stream()
                                .flatMap(reservation -> reservation.instances().stream())
                                .toList(),
                        page.nextToken());
            });
            found.forEach(
                    instance -> InstanceShapes.birth(instance).ifPresent(b -> births.put(instance.instanceId(), b)));
        }
        return births;
    }

    /** Returns the launch settings of groups, by group name. Groups whose settings AWS does not return are left out. */
    Map<String, Launch> launches(Collection<Group> groups) throws ProviderException {
        var launches = new HashMap<String, Launch>();
        var configurations = configurations(groups);
        for (var group : groups) {
            if (group.source() instanceof Group.Source.LaunchConfiguration source) {
                var configuration = configurations.get(source.name());
                if (configuration != null) {
                    launches.put(group.name(), InstanceShapes.launch(configuration));
                }
            } else if (group.source() instanceof Group.Source.LaunchTemplate source) {
                template(source).ifPresent(launch -> launches.put(group.name(), launch));
            }
        }
        return launches;
    }

    private Map<String, LaunchConfiguration> configurations(Collection<Group> groups) throws ProviderException {
        Set<String> names = new HashSet<>();
        for (var group : groups) {
            if (group.source() instanceof Group.Source.LaunchConfiguration source) {
                names.add(source.name());
            }
        }
        var configurations = new HashMap<String, LaunchConfiguration>();
        for (var some : portions(names, CONFIGURATIONS_AT_ONCE)) {
            pages("autoscaling:DescribeLaunchConfigurations", token -> {
                        var page = reading()
                                .describeLaunchConfigurations(request ->
                                        request.launchConfigurationNames(some).nextToken(token));
                        return new Page<>(page.launchConfigurations(), page.nextToken());
                    })
                    .forEach(found -> configurations.put(found.launchConfigurationName(), found));
        }
        return configurations;
    }

    private Optional<Launch> template(Group.Source.LaunchTemplate source) throws ProviderException {
        return call(
                        "ec2:DescribeLaunchTemplateVersions",
                        () -> ec2().describeLaunchTemplateVersions(request ->
                                request.launchTemplateId(source.id()).versions(source.version())))
                .launchTemplateVersions()
                .stream()
                .findFirst()
                .map(InstanceShapes::launch);
    }

    /** Returns the size of an instance type; empty if the region has no such type. */
    Optional<MachineSize> instanceType(String type) throws ProviderException {
        // The filter is needed: a request by name fails if AWS does not know the name.
        return pages("ec2:DescribeInstanceTypes", token -> {
                    var page = ec2().describeInstanceTypes(request -> request.filters(Filter.builder()
                                    .name("instance-type")
                                    .values(type)
                                    .build())
                            .nextToken(token));
                    return new Page<>(
                            page.instanceTypes().stream()
                                    .map(InstanceTypes::size)
                                    .toList(),
                            page.nextToken());
                })
                .stream()
                .findFirst();
    }

    /**
     * Returns EC2's estimates that a request for one spot instance of any of these types succeeds. The answer has at most ten places.
     *
     * @param byZone whether to estimate each zone of the region, instead of the region
     * @return scores from 1 to 10, by zone ID if {@code byZone} is set, else by region
     */
    Map<String, Integer> spotScores(String region, List<String> types, boolean byZone) throws ProviderException {
        var scores = new HashMap<String, Integer>();
        pages("ec2:GetSpotPlacementScores", token -> {
                    var page = ec2().getSpotPlacementScores(request -> request.regionNames(region)
                            .instanceTypes(types)
                            .targetCapacity(1)
                            .singleAvailabilityZone(byZone)
                            .nextToken(token));
                    return new Page<>(
                            page.spotPlacementScores().stream()
                                    .map(InstanceShapes::spotScore)
                                    .toList(),
                            page.nextToken());
                })
                .forEach(score -> scores.put(score.getKey(), score.getValue()));
        return scores;
    }

    /** Returns the ID of a zone, which is the same in all accounts, unlike the name; empty if EC2 does not know the zone. */
    Optional<String> zoneId(String name) throws ProviderException {
        // The filter is needed: a request by name fails if EC2 does not know the name.
        return call(
                        "ec2:DescribeAvailabilityZones",
                        () -> ec2().describeAvailabilityZones(request -> request.filters(
                                Filter.builder().name("zone-name").values(name).build())))
                .availabilityZones()
                .stream()
                .findFirst()
                .map(AvailabilityZone::zoneId);
    }

    /** Requests one launch configuration to check the permission. The request also succeeds if the region has no launch configuration. */
    void someLaunchConfiguration() throws ProviderException {
        call(
                "autoscaling:DescribeLaunchConfigurations",
                () -> reading().describeLaunchConfigurations(request -> request.maxRecords(1)));
    }

    /**
     * Asks EC2 whether it would permit an action, one of {@link #DRY_RUNS} or {@link #OPTIONAL_DRY_RUNS}.
     *
     * @throws ProviderException if EC2 would not permit the action
     */
    void dryRun(String action) throws ProviderException {
        call(action, () -> {
            try {
                switch (action) {
                    case "ec2:DescribeInstances" -> ec2().describeInstances(request -> request.dryRun(true));
                    case "ec2:DescribeLaunchTemplateVersions" ->
                        ec2().describeLaunchTemplateVersions(
                                        request -> request.dryRun(true).versions("$Latest"));
                    case "ec2:DescribeInstanceTypes" -> ec2().describeInstanceTypes(request -> request.dryRun(true));
                    case "ec2:DescribeAvailabilityZones" ->
                        ec2().describeAvailabilityZones(request -> request.dryRun(true));
                    case "ec2:GetSpotPlacementScores" ->
                        ec2().getSpotPlacementScores(request -> request.dryRun(true)
                                .instanceTypes("m5.large", "m5.xlarge", "m5.2xlarge")
                                .targetCapacity(1));
                    default -> throw new IllegalArgumentException("no dry run of " + action);
                }
            } catch (AwsServiceException e) {
                if (!WOULD_HAVE_BEEN_DONE.equals(e.awsErrorDetails().errorCode())) {
                    throw e;
                }
            }
            return action;
        });
    }

    /** Waits up to {@link #LONG_POLL} for messages of a queue, and returns at most ten. AWS delivers them again unless they are deleted. */
    List<Message> receive(String queue) throws ProviderException {
        return call(
                "sqs:ReceiveMessage",
                () -> clients.sqs()
                        .receiveMessage(request -> request.queueUrl(queue)
                                .maxNumberOfMessages(MESSAGES_AT_ONCE)
                                .messageSystemAttributeNames(MessageSystemAttributeName.SENT_TIMESTAMP)
                                .waitTimeSeconds((int) LONG_POLL.toSeconds())
                                .visibilityTimeout((int) REDELIVERY.toSeconds()))
                        .messages());
    }

    /**
     * Deletes messages of a queue. A message that is gone counts as deleted.
     *
     * @throws ProviderException if no message of a request was deleted. A message that was not deleted among others just comes again
     */
    void delete(String queue, List<String> receiptHandles) throws ProviderException {
        // The right for this action is the one for single deletions: SQS developer guide, "API permissions".
        var action = "sqs:DeleteMessage";
        for (var handles : portions(receiptHandles, MESSAGES_AT_ONCE)) {
            var entries = IntStream.range(0, handles.size())
                    .mapToObj(i -> DeleteMessageBatchRequestEntry.builder()
                            .id(String.valueOf(i))
                            .receiptHandle(handles.get(i))
                            .build())
                    .toList();
            var answer = call(
                    action,
                    () -> clients.sqs()
                            .deleteMessageBatch(
                                    request -> request.queueUrl(queue).entries(entries)));
            if (answer.failed().size() == entries.size()) {
                var failure = answer.failed().get(0);
                throw masked(new ProviderException(
                        FailureKind.TRANSIENT,
                        "%s: no message was deleted: %s: %s".formatted(action, failure.code(), failure.message())));
            }
        }
    }

    /** Receives a message of a queue to check the permission. The message stays visible to all receivers. */
    void tryReceive(String queue) throws ProviderException {
        call(
                "sqs:ReceiveMessage",
                () -> clients.sqs()
                        .receiveMessage(request -> request.queueUrl(queue)
                                .maxNumberOfMessages(1)
                                .waitTimeSeconds(0)
                                .visibilityTimeout(0)));
    }

    /** Requests the deletion of a message that does not exist, to check the permission: AWS checks it before it reads the receipt handle. */
    void tryDelete(String queue) throws ProviderException {
        var nothing = DeleteMessageBatchRequestEntry.builder()
                .id("0")
                .receiptHandle("none")
                .build();
        call(
                "sqs:DeleteMessage",
                () -> clients.sqs()
                        .deleteMessageBatch(request -> request.queueUrl(queue).entries(nothing)));
    }

    @Override
    public void close() {
        clients.close();
    }

    /** A page of an answer. The token {@code next} names the next page; null for the last page. */
    private record Page<T>(List<T> items, @Nullable String next) {}

    /** A reader of pages. The token names the page to read; null for the first page. */
    @FunctionalInterface
    private interface PageReader<T> {
        Page<T> read(@Nullable String token);
    }

    private <T> List<T> pages(String action, PageReader<T> reader) throws ProviderException {
        var items = new ArrayList<T>();
        String token = null;
        for (int i = 0; i < MOST_PAGES; i++) {
            var asked = token;
            var page = call(action, () -> reader.read(asked));
            items.addAll(page.items());
            token = page.next();
            if (token == null || token.isEmpty()) {
                return items;
            }
        }
        throw new ProviderException(
                FailureKind.TRANSIENT, "%s: the list did not end after %d pages".formatted(action, MOST_PAGES));
    }

    private <T> T call(String action, Supplier<T> request) throws ProviderException {
        try {
            return request.get();
        } catch (SdkException e) {
            throw masked(ApiErrors.of(action, e, fault()));
        } catch (RuntimeException e) {
            throw unreadable(action, e);
        }
    }

    /** Wraps an exception of the SDK's parser, which the SDK does not wrap itself. */
    private ProviderException unreadable(String action, RuntimeException e) {
        var words = ApiErrors.words(e);
        return masked(new ProviderException(
                ApiErrors.kindOf(words),
                "%s: the answer cannot be read: %s%s"
                        .formatted(action, words, fault().map(f -> "; " + f).orElse(""))));
    }

    /** Removes secrets from an error, since errors are published in conditions and Events that everyone can read. */
    private ProviderException masked(ProviderException e) {
        return clients.credentials()
                .map(Keys::secrets)
                .filter(secrets -> secrets.stream().anyMatch(e.words()::contains))
                .map(secrets -> {
                    var words = e.words();
                    for (var secret : secrets) {
                        words = words.replace(secret, "(secret)");
                    }
                    return new ProviderException(e.kind(), words, e.retryAfter().orElse(null));
                })
                .orElse(e);
    }

    private Optional<String> fault() {
        return clients.credentials().flatMap(AwsCalls::fault);
    }

    private static Optional<String> fault(AwsCredentials credentials) {
        var fault = Keys.fault(credentials.accessKeyId(), credentials.secretAccessKey());
        return credentials instanceof AwsSessionCredentials session
                ? fault.or(() -> Keys.tokenFault(session.sessionToken()))
                : fault;
    }

    private AutoScalingClient reading() {
        return clients.reading();
    }

    private AutoScalingClient writing() {
        return clients.writing();
    }

    private Ec2Client ec2() {
        return clients.ec2();
    }

    private static List<List<String>> portions(Collection<String> all, int size) {
        var sorted = all.stream().sorted().toList();
        var portions = new ArrayList<List<String>>();
        for (int i = 0; i < sorted.size(); i += size) {
            portions.add(sorted.subList(i, Math.min(sorted.size(), i + size)));
        }
        return portions;
    }
}
