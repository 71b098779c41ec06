package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.CloudRight.Answer;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RightsTest {

    @Test
    void asksForEveryActionOfTheShippedPolicyAndChangesNothing() throws Exception {
        try (var stage = new AwsStage()) {
            stage.aws.strike(IamPolicy.shipped());
            var rights = stage.provider().rights(stage.pool());

            assertThat(rights.stream().map(CloudRight::action).collect(Collectors.toSet()))
                    .isEqualTo(IamPolicy.shipped().actionsOnPools());
            assertThat(actions(rights, Answer.REFUSED)).isEmpty();
            assertThat(actions(rights, Answer.UNTOLD))
                    .containsExactly(
                            "autoscaling:CompleteLifecycleAction",
                            "autoscaling:SetDesiredCapacity",
                            "autoscaling:SetInstanceProtection",
                            "autoscaling:TerminateInstanceInAutoScalingGroup");
            assertThat(stage.aws.calls().keySet())
                    .allMatch(action -> action.startsWith("Describe") || action.startsWith("Get"));
        }
    }

    @Test
    void tellsWhichRightsAreMissing() throws Exception {
        var policy = IamPolicy.shipped();
        var actions = (ArrayNode) policy.policy().at("/Statement/0/Action");
        actions.removeAll();
        actions.add("autoscaling:DescribeAutoScalingGroups").add("autoscaling:DescribeLaunchConfigurations");
        try (var stage = new AwsStage()) {
            stage.aws.strike(policy);
            var rights = stage.provider().rights(stage.pool());

            assertThat(actions(rights, Answer.REFUSED))
                    .containsExactly(
                            "autoscaling:DescribeScalingActivities",
                            "autoscaling:DescribeLifecycleHooks",
                            "ec2:DescribeInstances",
                            "ec2:DescribeLaunchTemplateVersions");
            assertThat(rights.get(1).words()).contains("allow autoscaling:DescribeScalingActivities");
        }
    }

    @Test
    void missingRightsForScoresAreOptional() throws Exception {
        try (var stage = new AwsStage()) {
            stage.aws.strike(IamPolicy.shipped().without("ReadSpotScores"));
            var rights = stage.provider().rights(stage.pool());

            assertThat(actions(rights, Answer.REFUSED)).isEmpty();
            assertThat(actions(rights, Answer.REFUSED_OPTIONAL))
                    .containsExactly("ec2:DescribeAvailabilityZones", "ec2:GetSpotPlacementScores");
        }
    }

    @Test
    void failureToCheckAnOptionalRightHidesNoOtherRight() throws Exception {
        try (var stage = new AwsStage()) {
            stage.aws.strike(AwsFault.error(400, "InvalidParameterValue", "m5.large is not supported")
                    .on("GetSpotPlacementScores"));
            var rights = stage.provider().rights(stage.pool());

            assertThat(actions(rights, Answer.UNTOLD)).contains("ec2:GetSpotPlacementScores");
            assertThat(actions(rights, Answer.ALLOWED)).contains("ec2:DescribeInstances");
        }
    }

    @Test
    void tellsNothingOfRightsWhenAwsDoesNotKnowWhoAsks() {
        try (var stage = new AwsStage()) {
            stage.aws.strike(AwsFault.error(403, "InvalidClientTokenId", "The security token is invalid."));
            assertThatThrownBy(() -> stage.provider().rights(stage.pool()))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("InvalidClientTokenId");
        }
    }

    private static List<String> actions(List<CloudRight> rights, Answer answer) {
        return rights.stream()
                .filter(right -> right.answer() == answer)
                .map(CloudRight::action)
                .toList();
    }
}
