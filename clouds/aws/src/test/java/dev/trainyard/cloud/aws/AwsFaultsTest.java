package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.EmulatedInstance;
import dev.trainyard.scaler.StrangeValues;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Faults on the wire between the scaler and AWS. After each fault, no machine is lost or launched, and the message is right. */
class AwsFaultsTest {

    private AwsStage stage;

    @BeforeEach
    void open() {
        stage = new AwsStage();
        stage.group.resize(3);
        stage.settle();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void throttlingIsToldWithTheTimeThatAwsAsksFor() {
        stage.strike(AwsFault.error(429, "Throttling", "Rate exceeded", "17"));
        var refusal = refusal(this::read);
        assertThat(refusal.kind()).as(refusal.words()).isEqualTo(FailureKind.THROTTLED);
        assertThat(refusal.retryAfter()).contains(Duration.ofSeconds(17));
        assertThat(refusal.words()).isEqualTo("autoscaling:DescribeAutoScalingGroups: Throttling: Rate exceeded");
        unharmed();
    }

    @ParameterizedTest
    @CsvSource({
        "400, Throttling",
        "400, RequestLimitExceeded",
        "503, RequestLimitExceeded",
        "429, TooManyRequestsException",
        "429, Anything"
    })
    void throttlingHasManyNames(int status, String code) {
        stage.strike(AwsFault.error(status, code, "slow down"));
        var refusal = refusal(this::read);
        assertThat(refusal.kind()).isEqualTo(FailureKind.THROTTLED);
        assertThat(refusal.retryAfter()).isEmpty();
        assertThat(refusal(() -> stage.provider().grow(stage.pool(), 3, 4)).kind())
                .isEqualTo(FailureKind.THROTTLED);
        unharmed();
    }

    /** Another autoscaler read a throttled listing as size -1 and removed 197 of 200 machines (kubernetes/autoscaler#3240). */
    @Test
    void aThrottledListingIsNeverReadAsASize() throws Exception {
        var machines = read().machines();
        stage.strike(AwsFault.error(429, "Throttling", "Rate exceeded").on("Describe"));
        refusal(this::read);
        refusal(() -> stage.provider().grow(stage.pool(), 3, 5));
        refusal(() -> stage.provider().withdraw(stage.pool(), 3, 2));
        refusal(() -> stage.provider().terminate(stage.pool(), machines));
        assertThat(stage.aws.calls().keySet()).allMatch(action -> action.startsWith("Describe"));
        unharmed();
    }

    /** Another autoscaler wrote a cached size and shrank a set from 86 machines to 53 (kubernetes/autoscaler#7432). */
    @Test
    void aStaleSizeNeverShrinksAGroup() {
        stage.group.bounds(0, 100);
        stage.resize(86);
        stage.settle();
        assertThat(refusal(() -> stage.provider().grow(stage.pool(), 48, 53)).kind())
                .isEqualTo(FailureKind.CONFLICT);
        assertThat(refusal(() -> stage.provider().withdraw(stage.pool(), 53, 48))
                        .kind())
                .isEqualTo(FailureKind.CONFLICT);
        stage.settle();
        assertThat(stage.machines()).hasSize(86);
    }

    /** Replaces each value of each answer in turn with an invalid one. */
    @Test
    void strangeValuesAreReadOrRefusedInWords() throws Exception {
        stage.stock(1);
        stage.resize(6);
        stage.settle();
        stage.provider();
        var names = StrangeValues.XML.meet(change -> stage.strike(AwsFault.changed(change)), () -> {
            stage.restart();
            return read();
        });
        assertThat(names).contains("DesiredCapacity", "StatusMessage", "LifecycleState", "launchTime");
        assertThat(stage.target()).isEqualTo(6);
    }

    @Test
    void aListThatIsCutOffIsNotRead() throws Exception {
        stage.strike(AwsFault.truncated());
        assertThat(refusal(this::read).kind()).isEqualTo(FailureKind.TRANSIENT);
        stage.clearFaults();
        assertThat(read().present()).isEqualTo(3);
        unharmed();
    }

    @Test
    void aPageThatIsMissingMakesAllPagesUnread() {
        for (int i = 0; i < 5; i++) {
            stage.aws.group("other-" + i);
        }
        stage.aws.pageSize(1);
        var calls = new AwsCalls(AwsStage.REGION, stage.settings());
        try (calls) {
            stage.strike((aws, exchange, request) -> "2".equals(request.parameter("NextToken"))
                    && AwsFault.reset().strike(aws, exchange, request));
            assertThat(refusal(calls::allGroups).kind()).isEqualTo(FailureKind.TRANSIENT);
        }
    }

    @Test
    void pagesThatNeverEndAreAFault() {
        stage.strike(
                AwsFault.answer(
                        "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups/><NextToken>again</NextToken></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>"));
        assertThat(refusal(this::read).words()).contains("did not end");
    }

    @Test
    void aSizeThatIsMissingIsNotZero() {
        stage.strike(AwsFault.answer(
                "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups><member><AutoScalingGroupName>%s</AutoScalingGroupName><MinSize>0</MinSize><MaxSize>9</MaxSize></member></AutoScalingGroups></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>"
                        .formatted(AwsStage.GROUP)));
        assertThat(refusal(this::read).words()).contains("DesiredCapacity is missing");
    }

    @ParameterizedTest
    @CsvSource({"500, InternalFailure", "503, ServiceUnavailable", "502, BadGateway"})
    void whatPassesByItselfIsTriedAgainOnce(int status, String code) throws Exception {
        stage.strike(AwsFault.error(status, code, "later").once());
        assertThat(read().present()).isEqualTo(3);
        stage.strike(AwsFault.error(status, code, "later"));
        assertThat(refusal(this::read).kind()).isEqualTo(FailureKind.TRANSIENT);
        unharmed();
    }

    @Test
    void anAnswerThatTakesTooLongIsGivenUp() throws Exception {
        var never = new CountDownLatch(1);
        stage.aws.strike((aws, exchange, request) -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return true;
        });
        var usual = stage.settings();
        var hurried = new AwsSettings(
                usual.endpoint(),
                usual.trust(),
                usual.credentials(),
                Duration.ofMillis(300),
                Duration.ofMillis(600),
                usual.firstPause());
        try (var provider = new AwsProvider(stage.clock, region -> new AwsCalls(region, hurried))) {
            assertThat(refusal(() -> provider.read(stage.pool())).kind()).isEqualTo(FailureKind.TRANSIENT);
        } finally {
            never.countDown();
        }
    }

    @Test
    void aGrowthThatIsRefusedIsNotRepeatedBehindOurBack() {
        stage.strike(AwsFault.error(500, "InternalFailure", "later").on("SetDesiredCapacity"));
        refusal(() -> stage.provider().grow(stage.pool(), 3, 4));
        assertThat(stage.aws.calls()).containsEntry("SetDesiredCapacity", 1);
        unharmed();
    }

    @ParameterizedTest
    @CsvSource({"ScalingActivityInProgress", "ResourceContention"})
    void aGroupThatIsBusyIsAConflict(String code) throws Exception {
        var machines = read().machines();
        stage.strike(AwsFault.error(400, code, "activity in progress").on("Set"));
        assertThat(refusal(() -> stage.provider().grow(stage.pool(), 3, 4)).kind())
                .isEqualTo(FailureKind.CONFLICT);
        stage.strike(AwsFault.error(400, code, "activity in progress").on("Terminate"));
        assertThat(refusal(() -> stage.provider().terminate(stage.pool(), machines))
                        .kind())
                .isEqualTo(FailureKind.CONFLICT);
        unharmed();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "403 | ExpiredToken               | the session has expired",
                "403 | InvalidClientTokenId       | the access key id is not known to AWS",
                "403 | SignatureDoesNotMatch      | the secret access key does not belong to",
                "403 | AuthFailure                | not known to AWS",
                "403 | AccessDenied               | allow autoscaling:DescribeAutoScalingGroups, as manifests/aws/iam-policy.json does",
                "403 | UnauthorizedOperation      | allow autoscaling:DescribeAutoScalingGroups"
            })
    void whoIsNotLetInIsToldWhatToDo(int status, String code, String words) {
        stage.strike(AwsFault.error(status, code, "no"));
        var refusal = refusal(this::read);
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        assertThat(refusal.words()).contains(code).contains(words);
        unharmed();
    }

    /** EC2's status for unknown keys. The JDK's HTTP client hides the text of the answer. */
    @Test
    void status401IsAMatterOfKeys() {
        stage.strike(
                AwsFault.error(401, "AuthFailure", "AWS was not able to validate the provided access credentials"));
        var refusal = refusal(this::read);
        assertThat(refusal.words()).contains("not known to AWS");
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
    }

    @Test
    void aKeyThatIsStillBase64IsSaidToBe() {
        stage.strike(
                AwsFault.error(403, "InvalidClientTokenId", "The security token included in the request is invalid."));
        var encoded = AwsBasicCredentials.create("QUtJQUlPU0ZPRE5ON0VYQU1QTEUK", "x".repeat(40));
        var settings = stage.settings(StaticCredentialsProvider.create(encoded));
        try (var provider = new AwsProvider(stage.clock, region -> new AwsCalls(region, settings))) {
            assertThat(refusal(() -> provider.read(stage.pool())).words())
                    .contains("the access key id is still base64")
                    .contains("line break")
                    .doesNotContain("xxx");
        }
    }

    @Test
    void anEndpointOfAnotherAuthorityIsNotTrusted() {
        var usual = stage.settings();
        var trusting = new AwsSettings(
                usual.endpoint(),
                Optional.empty(),
                usual.credentials(),
                usual.attemptTimeout(),
                usual.callTimeout(),
                usual.firstPause());
        try (var provider = new AwsProvider(stage.clock, region -> new AwsCalls(region, trusting))) {
            assertThat(refusal(() -> provider.read(stage.pool())).words()).contains("PKIX");
        }
        assertThat(stage.aws.totalCalls()).isZero();
    }

    @Test
    void aGroupThatThereIsNotIsNamed() {
        stage.aws.delete(AwsStage.GROUP);
        var refusal = refusal(this::read);
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(refusal.words()).contains(AwsStage.GROUP).contains(AwsStage.REGION);
    }

    // Activities.

    @Test
    void onlyLaunchesThatFailedAreFailures() throws Exception {
        stage.group.log(
                "Terminating EC2 instance: i-1", "Failed", "The instance is protected. InsufficientInstanceCapacity");
        stage.group.stock(3);
        stage.resize(5);
        assertThat(read().failures()).isEmpty();
        stage.settle();
        assertThat(read().failures()).extracting(Failure::kind).containsExactly(FailureKind.SPOT_CAPACITY);
    }

    @Test
    void aFailureOnTheLastPageIsFound() throws Exception {
        stage.aws.pageSize(7);
        stage.group.stock(3);
        stage.group.resize(5);
        stage.settle();
        for (int i = 0; i < 30; i++) {
            stage.group.log("Terminating EC2 instance: i-" + i, "Successful", "");
        }
        assertThat(read().failures()).hasSize(1);
        assertThat(stage.aws.calls().get("DescribeScalingActivities")).isGreaterThan(4);
        var before = stage.aws.calls().get("DescribeScalingActivities");
        stage.clock.move(Duration.ofSeconds(5));
        stage.group.log("Terminating EC2 instance: i-x", "Successful", "");
        stage.clock.move(Duration.ofSeconds(5));
        assertThat(read().failures()).hasSize(1);
        assertThat(stage.aws.calls().get("DescribeScalingActivities") - before)
                .as("pages that were read are not read again")
                .isLessThanOrEqualTo(6);
    }

    @Test
    void aZoneThatHasNoneIsNoFailureWhenTheNextOneHas() throws Exception {
        stage.group.log(
                "Launching a new EC2 instance.",
                "Failed",
                "We currently do not have sufficient p3.2xlarge capacity in the Availability Zone you requested (eu-west-1a).");
        stage.clock.move(Duration.ofSeconds(2));
        stage.group.log("Launching a new EC2 instance: i-2", "PreInService", "");
        stage.resize(4);
        assertThat(read().failures()).isEmpty();
    }

    @Test
    void whatIsNotMissingHasNotFailed() throws Exception {
        stage.group.stock(3);
        stage.resize(5);
        stage.settle();
        stage.resize(3);
        assertThat(read().failures()).isEmpty();
    }

    // Withdrawals, and AWS's own decisions.

    @Test
    void whoDoesNotWantProtectionKeepsOrdersRatherThanRisksMachines() throws Exception {
        stage.unguarded();
        stage.group.stock(3);
        stage.resize(5);
        stage.settle();
        var refusal = refusal(() -> stage.provider().withdraw(stage.pool(), 5, 3));
        assertThat(refusal.kind()).isEqualTo(FailureKind.CONFLICT);
        assertThat(refusal.words()).contains("protectFromScaleIn: true");
        assertThat(stage.target()).isEqualTo(5);
        assertThat(stage.machines()).hasSize(3);
        assertThat(read().warnings()).anyMatch(warning -> warning.contains("does not protect"));
    }

    @Test
    void aMachineAtWorkSurvivesOneThatComesAtTheLastMoment() throws Exception {
        stage.group.stock(3);
        stage.resize(5);
        stage.settle();
        var atWork = stage.machines();
        stage.aws.beforeChange(() -> stage.group.stock(4).launch());
        stage.provider().withdraw(stage.pool(), 5, 3);
        stage.aws.beforeChange(() -> {});
        stage.group.finish();
        assertThat(stage.machines()).containsAll(atWork);
        assertThat(stage.target()).isEqualTo(3);
    }

    @Test
    void machinesAreProtectedAsTheyComeIntoService() throws Exception {
        assertThat(stage.group.instances()).noneMatch(EmulatedInstance::isProtected);
        stage.group.resize(5);
        stage.appear();
        tend();
        assertThat(stage.group.instances())
                .filteredOn(EmulatedInstance::isProtected)
                .hasSize(3);
        stage.settle();
        tend();
        assertThat(stage.group.instances()).allMatch(EmulatedInstance::isProtected);
        stage.settle();
        tend();
        assertThat(stage.aws.calls()).containsEntry("SetInstanceProtection", 2);
    }

    @Test
    void protectionThatIsNotAllowedIsAWarning() throws Exception {
        stage.strike(AwsFault.error(403, "AccessDenied", "no").on("SetInstanceProtection"));
        assertThat(tend().warnings())
                .anyMatch(warning -> warning.contains("autoscaling:SetInstanceProtection")
                        && warning.contains("could not be protected"));
    }

    @Test
    void aMachineOnItsWayOutIsNotOrderedToGoAgain() throws Exception {
        var machines = read().machines();
        stage.group.instances().get(0).become("Terminating:Wait", stage.clock.instant());
        stage.provider().terminate(stage.pool(), machines.subList(0, 1));
        assertThat(stage.target()).isEqualTo(3);
        stage.clock.move(AwsRegion.FRESH);
        assertThat(read().machines())
                .filteredOn(m -> m.state() == Machine.State.DELETING)
                .hasSize(1);
    }

    private PoolState read() throws ProviderException {
        return stage.provider().read(stage.pool());
    }

    private PoolState tend() throws ProviderException {
        return stage.provider().tend(stage.pool(), read());
    }

    /** A call that a test expects to be refused. */
    @FunctionalInterface
    private interface Call {
        void make() throws ProviderException;
    }

    private static ProviderException refusal(Call call) {
        var refusal = catchThrowableOfType(ProviderException.class, call::make);
        assertThat(refusal).as("refused").isNotNull();
        return refusal;
    }

    private void unharmed() {
        stage.clearFaults();
        stage.settle();
        assertThat(stage.target()).isEqualTo(3);
        assertThat(stage.machines()).hasSize(3);
        assertThat(stage.group.suspended()).isEqualTo(Set.of());
    }
}
