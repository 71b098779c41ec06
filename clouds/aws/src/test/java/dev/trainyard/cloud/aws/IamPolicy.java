package dev.trainyard.cloud.aws;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.AwsRequest;
import dev.trainyard.emulator.aws.EmulatedGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** An IAM policy as a fault: the emulated AWS then refuses every action that the policy does not allow, as IAM does. */
record IamPolicy(JsonNode policy) implements AwsFault {

    /** The tags of the caller's role. */
    static final Map<String, String> ROLE = Map.of("trainyard-cluster", "mine");

    private static final String TAG = "aws:ResourceTag/";

    /** Returns the shipped policy. */
    static IamPolicy shipped() {
        try {
            return new IamPolicy(new ObjectMapper()
                    .readTree(Path.of(System.getProperty("trainyard.root"), "manifests", "aws", "iam-policy.json")
                            .toFile()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a statement. */
    JsonNode statement(String sid) {
        for (var statement : policy.get("Statement")) {
            if (statement.get("Sid").asText().equals(sid)) {
                return statement;
            }
        }
        throw new AssertionError("no statement " + sid);
    }

    /** Returns all actions on pools, which the emulated AWS has. {@link SqsNoticeQueueTest} tests those on queues. */
    TreeSet<String> actionsOnPools() {
        var actions = actions();
        actions.removeIf(action -> action.startsWith("sqs:"));
        return actions;
    }

    /** Returns all actions with their service, such as {@code ec2:DescribeInstances}. */
    TreeSet<String> actions() {
        var actions = new TreeSet<String>();
        for (var statement : policy.get("Statement")) {
            statement.get("Action").forEach(action -> actions.add(action.asText()));
        }
        return actions;
    }

    /** Returns this policy without a statement. */
    IamPolicy without(String sid) {
        var less = policy.deepCopy();
        var statements = less.get("Statement").elements();
        while (statements.hasNext()) {
            if (statements.next().get("Sid").asText().equals(sid)) {
                statements.remove();
            }
        }
        return new IamPolicy(less);
    }

    @Override
    public boolean strike(AwsEmulator aws, HttpExchange exchange, AwsRequest request) throws IOException {
        var action = shipped().actions().stream()
                .filter(known -> known.endsWith(":" + request.action()))
                .findFirst()
                .orElse("unknown:" + request.action());
        var group = group(aws, request);
        var tags = group.map(EmulatedGroup::tags).orElse(Collections.emptySortedMap());
        for (var statement : policy.get("Statement")) {
            if (statement.get("Action").toString().contains('"' + action + '"')
                    && isMet(statement.path("Condition"), tags)) {
                return false;
            }
        }
        if (action.startsWith("ec2:")) {
            return AwsFault.error(
                            403,
                            "UnauthorizedOperation",
                            "You are not authorized to perform this operation. User: arn:aws:sts::123456789012:assumed-role/trainyard/scaler is not authorized to perform: %s because no identity-based policy allows the %s action"
                                    .formatted(action, action))
                    .strike(aws, exchange, request);
        }
        return AwsFault.error(
                        403,
                        "AccessDenied",
                        "User: arn:aws:sts::123456789012:assumed-role/trainyard/scaler is not authorized to perform: %s on resource: arn:aws:autoscaling:%s:123456789012:autoScalingGroup:*:autoScalingGroupName/%s because no identity-based policy allows the %s action"
                                .formatted(
                                        action,
                                        AwsEmulator.REGION,
                                        group.map(EmulatedGroup::name).orElse("*"),
                                        action))
                .strike(aws, exchange, request);
    }

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{aws:PrincipalTag/([^}]+)}");

    /** Whether a condition is met. Source: "StringEquals" in IAM's condition operators. A missing key or variable equals nothing. */
    private static boolean isMet(JsonNode condition, Map<String, String> tags) {
        boolean met = true;
        for (var operator : condition.properties()) {
            for (var key : operator.getValue().properties()) {
                var variable = VARIABLE.matcher(key.getValue().asText());
                if (!operator.getKey().equals("StringEquals") || !key.getKey().startsWith(TAG) || !variable.matches()) {
                    throw new AssertionError("a condition that this test does not know: " + operator);
                }
                var wanted = ROLE.get(variable.group(1));
                met &= wanted != null && wanted.equals(tags.get(key.getKey().substring(TAG.length())));
            }
        }
        return met;
    }

    private static Optional<EmulatedGroup> group(AwsEmulator aws, AwsRequest request) {
        var name = request.parameter("AutoScalingGroupName");
        var instance = request.parameter("InstanceId");
        return aws.groups().stream()
                .filter(group ->
                        group.name().equals(name) || group.instances().stream().anyMatch(i -> i.id().equals(instance)))
                .findFirst();
    }
}
