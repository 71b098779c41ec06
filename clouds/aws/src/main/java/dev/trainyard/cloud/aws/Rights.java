package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The permissions of the current identity for a group or a queue. The checks change nothing: they are dry runs of EC2 actions, and reads of
 * Auto Scaling and SQS, which have no dry runs. Permissions to change Auto Scaling groups cannot be checked without a change.
 */
final class Rights {

    /**
     * The tag that names the cluster of a group. Only this cluster may change the group: the shipped policy requires that the scaler's role
     * has this tag with the same value. Otherwise two clusters of one account could terminate each other's machines.
     */
    static final String CLUSTER_TAG = "trainyard-cluster";

    private static final List<String> CHANGES = List.of(
            "autoscaling:CompleteLifecycleAction",
            "autoscaling:SetDesiredCapacity",
            "autoscaling:SetInstanceProtection",
            "autoscaling:TerminateInstanceInAutoScalingGroup");

    private final AwsCalls calls;

    Rights(AwsCalls calls) {
        this.calls = calls;
    }

    /** @throws ProviderException if the identity is unknown, or AWS does not answer */
    List<CloudRight> of(String group) throws ProviderException {
        var rights = new ArrayList<CloudRight>();
        var clusters = new ArrayList<String>();
        rights.add(asked(
                "autoscaling:DescribeAutoScalingGroups",
                () -> calls.groups(List.of(group))
                        .forEach(found -> Optional.ofNullable(found.tags().get(CLUSTER_TAG))
                                .ifPresent(clusters::add))));
        rights.add(asked("autoscaling:DescribeScalingActivities", () -> calls.activities(group, Instant.MAX)));
        rights.add(asked("autoscaling:DescribeLifecycleHooks", () -> calls.terminationHooks(group)));
        rights.add(asked("autoscaling:DescribeLaunchConfigurations", calls::someLaunchConfiguration));
        for (var action : AwsCalls.DRY_RUNS) {
            rights.add(asked(action, () -> calls.dryRun(action)));
        }
        for (var action : AwsCalls.OPTIONAL_DRY_RUNS) {
            rights.add(optional(action));
        }
        var why =
                "AWS has no dry run of this action; manifests/aws/iam-policy.json allows the action for groups whose tag %s equals the tag of the role; this group %s"
                        .formatted(
                                CLUSTER_TAG,
                                clusters.isEmpty() ? "has no such tag" : "has '%s'".formatted(clusters.get(0)));
        CHANGES.forEach(action -> rights.add(CloudRight.untold(action, why)));
        return rights;
    }

    /**
     * Returns the permissions of the current identity for a queue.
     *
     * @throws ProviderException if the identity is unknown, there is no such queue, or AWS does not answer
     */
    List<CloudRight> ofQueue(String url) throws ProviderException {
        return List.of(
                asked("sqs:ReceiveMessage", () -> calls.tryReceive(url)),
                asked("sqs:DeleteMessage", () -> calls.tryDelete(url)));
    }

    private interface Question {
        void ask() throws ProviderException;
    }

    /** Checks a right that the scaler can do without. If EC2 does not answer, the other rights are still reported. */
    private CloudRight optional(String action) throws ProviderException {
        try {
            calls.dryRun(action);
            return CloudRight.allowed(action);
        } catch (ProviderException e) {
            if (e.kind() != FailureKind.AUTH) {
                return CloudRight.untold(action, e.words());
            }
            if (ApiErrors.isAboutARight(e.words())) {
                return CloudRight.optional(action, e.words());
            }
            throw e;
        }
    }

    private static CloudRight asked(String action, Question question) throws ProviderException {
        try {
            question.ask();
            return CloudRight.allowed(action);
        } catch (ProviderException e) {
            if (e.kind() == FailureKind.AUTH && ApiErrors.isAboutARight(e.words())) {
                return CloudRight.refused(action, e.words());
            }
            throw e;
        }
    }
}
