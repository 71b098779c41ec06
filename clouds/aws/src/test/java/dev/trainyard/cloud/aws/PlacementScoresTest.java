package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.AwsRequest;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementScoresTest {

    private static final String SCORES = "GetSpotPlacementScores";
    private static final String ZONES = "DescribeAvailabilityZones";

    private final AwsStage stage = new AwsStage();

    PlacementScoresTest() {
        stage.group
                .zones("eu-west-1a", "eu-west-1b")
                .source(AwsStage.mixed("g6.xlarge", "g4dn.xlarge", "g5.xlarge", "g5.xlarge"));
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void groupOfSeveralZonesHasTheScoreOfItsRegion() throws Exception {
        stage.aws.spotScore(AwsStage.REGION, 4);
        var asked = new ArrayList<AwsRequest>();
        stage.aws.strike((aws, exchange, request) -> {
            asked.add(request);
            return false;
        });

        assertThat(score()).contains(4);
        var request = asked.get(asked.size() - 1);
        assertThat(request.action()).isEqualTo(SCORES);
        assertThat(request.parameters())
                .containsEntry("InstanceType.1", "g4dn.xlarge")
                .containsEntry("InstanceType.2", "g5.xlarge")
                .containsEntry("InstanceType.3", "g6.xlarge")
                .doesNotContainKey("InstanceType.4")
                .containsEntry("TargetCapacity", "1")
                .containsEntry("RegionName.1", AwsStage.REGION);
        assertThat(stage.aws.calls()).doesNotContainKey(ZONES);
    }

    @Test
    void groupOfOneZoneHasTheScoreOfThisZone() throws Exception {
        stage.group.zones("eu-west-1b");
        stage.aws.pageSize(1);
        stage.aws.spotScore(AwsStage.REGION, 8);
        stage.aws.spotScore(AwsEmulator.zoneId("eu-west-1b"), 2);

        assertThat(score()).contains(2);
        assertThat(score()).contains(2);
        assertThat(stage.aws.calls())
                .as("the ID of a zone is read once; each score takes three pages")
                .containsEntry(ZONES, 1)
                .containsEntry(SCORES, 6);
    }

    @Test
    void zoneThatAwsDoesNotKnowOrScoreHasNoScore() throws Exception {
        stage.group.zones("eu-west-1z");
        assertThat(score()).isEmpty();
        assertThat(stage.aws.calls()).doesNotContainKey(SCORES);

        stage.group.zones("eu-west-1a");
        stage.strike(AwsFault.changed(xml -> xml.replaceAll("<item>(?:(?!</item>).)*euw1-az3.*?</item>", ""))
                .on(SCORES));
        assertThat(score()).isEmpty();
    }

    @Test
    void groupOfFewerThanThreeTypesIsNotScored() throws Exception {
        stage.group.source(AwsStage.mixed("g5.xlarge", "g6.xlarge", "g5.xlarge"));
        assertThat(score()).isEmpty();
        stage.clock.move(AwsRegion.FRESH);
        stage.group.source(AwsStage.mixed());
        assertThat(score()).isEmpty();
        assertThat(stage.aws.calls()).doesNotContainKey(SCORES);
    }

    @Test
    void groupWhoseTypesAwsChoosesIsNotScored() throws Exception {
        stage.group.source(AwsStage.mixed("a1.large", "a2.large", "a3.large")
                .replace("</Overrides>", "<member><InstanceRequirements></InstanceRequirements></member></Overrides>"));
        assertThat(score()).isEmpty();
        assertThat(stage.aws.calls()).doesNotContainKey(SCORES);
    }

    @Test
    void onDemandPoolIsNotAskedAbout() throws Exception {
        var pool = Pool.of(
                "on-demand",
                Objects.onDemand(1)
                        .spec(new ProviderSpec(
                                null, null, new AwsAutoScalingGroup(AwsStage.REGION, AwsStage.GROUP, true), null)));
        assertThat(stage.provider().spotScore(pool)).isEmpty();
        assertThat(stage.aws.calls()).isEmpty();
    }

    @Test
    void missingRightNamesTheActionAndPausesForADay() {
        stage.aws.strike(IamPolicy.shipped().without("ReadSpotScores"));

        var refusal = refusal();
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        assertThat(refusal.retryAfter()).contains(Duration.ofDays(1));
        assertThat(refusal.words())
                .startsWith("ec2:GetSpotPlacementScores: UnauthorizedOperation: ")
                .endsWith("allow ec2:GetSpotPlacementScores, as manifests/aws/iam-policy.json does");
    }

    @Test
    void limitOfConfigurationsPausesForADay() {
        stage.aws.strike(AwsFault.error(
                        400,
                        "MaxConfigLimitExceeded",
                        "You have exceeded your maximum allowed Spot placement configurations.")
                .on(SCORES));

        var refusal = refusal();
        assertThat(refusal.kind()).isEqualTo(FailureKind.QUOTA);
        assertThat(refusal.retryAfter()).contains(Duration.ofDays(1));
    }

    @Test
    void invalidCredentialsAreNoMissingRight() {
        stage.aws.strike(
                AwsFault.error(403, "RequestExpired", "Request has expired.").on(SCORES));

        var refusal = refusal();
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        assertThat(refusal.retryAfter()).isEmpty();
    }

    @Test
    void throttlingIsThrottling() {
        stage.aws.strike(AwsFault.error(503, "RequestLimitExceeded", "Request limit exceeded.")
                .on(SCORES));
        assertThat(refusal().kind()).isEqualTo(FailureKind.THROTTLED);
        assertThat(stage.aws.calls()).containsEntry(SCORES, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<score>0</score>", "<score>11</score>", "<score>-3</score>", ""})
    void scoreOutsideOfTheScaleIsUnreadable(String score) {
        stage.aws.strike(
                AwsFault.changed(xml -> xml.replace("<score>9</score>", score)).on(SCORES));
        assertThat(refusal().words()).contains("ec2:GetSpotPlacementScores: the answer cannot be read: ");
    }

    @Test
    void emulatorScoresFewTypesLowAsAwsDoes() throws Exception {
        try (var calls = new AwsCalls(AwsStage.REGION, stage.settings())) {
            assertThat(calls.spotScores(AwsStage.REGION, List.of("g5.xlarge"), false))
                    .containsEntry(AwsStage.REGION, 1);
            assertThat(calls.spotScores(AwsStage.REGION, List.of("g5.xlarge", "g6.xlarge", "g4dn.xlarge"), false))
                    .containsEntry(AwsStage.REGION, 9);
        }
    }

    private Optional<Integer> score() throws ProviderException {
        return stage.provider().spotScore(stage.pool());
    }

    private ProviderException refusal() {
        return catchThrowableOfType(ProviderException.class, this::score);
    }
}
