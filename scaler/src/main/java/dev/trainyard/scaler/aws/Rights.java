package dev.trainyard.scaler.aws;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What whoever we are may do about a group, by questions that change nothing: reads of Auto Scaling, which it has no dry run of, and dry runs of
 * EC2. What Auto Scaling lets us change, nobody can tell without changing it.
 */
final class Rights {

    private static final List<String> CHANGES = List.of(
            "autoscaling:SetDesiredCapacity",
            "autoscaling:SetInstanceProtection",
            "autoscaling:TerminateInstanceInAutoScalingGroup");

    private final AwsCalls calls;

    Rights(AwsCalls calls) {
        this.calls = calls;
    }

    /** @throws ProviderException when it is not known who we are, or nobody answers */
    List<CloudRight> of(String group) throws ProviderException {
        var rights = new ArrayList<CloudRight>();
        var tagged = new ArrayList<Boolean>();
        rights.add(asked(
                "autoscaling:DescribeAutoScalingGroups",
                () -> calls.groups(List.of(group))
                        .forEach(found -> tagged.add(found.tags().containsKey(Names.POOL)))));
        rights.add(asked("autoscaling:DescribeScalingActivities", () -> calls.activities(group, Instant.MAX)));
        rights.add(asked("autoscaling:DescribeLaunchConfigurations", calls::someLaunchConfiguration));
        for (var action : AwsCalls.DRY_RUNS) {
            rights.add(asked(action, () -> calls.dryRun(action)));
        }
        var why =
                "AWS has no dry run of it; manifests/aws/iam-policy.json allows it for groups with the tag %s, which this one %s"
                        .formatted(Names.POOL, tagged.contains(true) ? "has" : "lacks");
        CHANGES.forEach(action -> rights.add(CloudRight.untold(action, why)));
        return rights;
    }

    private interface Question {
        void ask() throws ProviderException;
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
