package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** AWS under adverse conditions: delayed answers, sizes changed by others, failures before the request. */
class AwsUnkindTest {

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

    // Shrinking.

    @Test
    void aBrokenMachineOfAGroupThatMayNotHaveFewerIsReplaced() throws Exception {
        stage.bound(3, 20);
        var broken = read().machines().subList(0, 1);
        var pool = AwsStage.pool("heavy-spot", 3);
        stage.provider().terminate(pool, broken);
        stage.settle();
        assertThat(stage.target()).isEqualTo(3);
        assertThat(stage.machines()).hasSize(3).doesNotContain(broken.get(0).id());
    }

    @Test
    void whoseMinSizeIsAboveThePoolsMinimumIsToldToLowerIt() throws Exception {
        stage.bound(3, 20);
        var machines = read().machines();
        var pool = AwsStage.pool("heavy-spot", 2);
        assertThat(refusal(() -> stage.provider().terminate(pool, machines)).words())
                .contains("MinSize of Auto Scaling group heavy-spot.example.com is 3")
                .endsWith("lower MinSize to spec.min, which is 2");
        unharmed();
    }

    @Test
    void aMachineThatCannotGoNowKeepsNoOther() throws Exception {
        var machines = read().machines();
        var stuck = machines.get(0).id();
        stage.aws.strike((aws, exchange, request) -> stuck.equals(request.parameter("InstanceId"))
                && AwsFault.error(400, "ResourceContention", "busy").strike(aws, exchange, request));
        assertThat(refusal(() -> stage.provider().terminate(stage.pool(), machines))
                        .kind())
                .isEqualTo(FailureKind.CONFLICT);
        assertThat(stage.machines()).containsExactly(stuck);
        assertThat(stage.target()).isEqualTo(1);
    }

    @Test
    void whoMayEndNoneIsRefusedOnce() throws Exception {
        var machines = read().machines();
        stage.strike(AwsFault.error(403, "AccessDenied", "no").on("Terminate"));
        assertThat(refusal(() -> stage.provider().terminate(stage.pool(), machines))
                        .kind())
                .isEqualTo(FailureKind.AUTH);
        assertThat(stage.aws.calls()).containsEntry("TerminateInstanceInAutoScalingGroup", 1);
        unharmed();
    }

    @Test
    void whatAGroupHasTooManyGoesWithoutChangingItsSize() throws Exception {
        stage.group.instances().forEach(i -> protect(i.id()));
        stage.resize(1);
        var machines = read().machines();
        assertThat(machines).hasSize(3);
        stage.provider().terminate(stage.pool(), machines.subList(0, 2));
        assertThat(stage.target()).isEqualTo(1);
        stage.settle();
        stage.provider().terminate(stage.pool(), machines);
        stage.settle();
        assertThat(stage.machines()).isEmpty();
        assertThat(stage.target()).isZero();
    }

    @Test
    void aMachineInStandbyIsNotCounted() throws Exception {
        stage.group.resize(2);
        stage.group.finish();
        var now = stage.clock.instant();
        stage.group.instances().get(0).become("Standby", now);
        stage.group.resize(1);
        var machines = read().machines();
        stage.provider().terminate(stage.pool(), machines.subList(1, 2));
        stage.settle();
        assertThat(stage.target()).as("the one at work went, with its place").isZero();
        stage.provider().terminate(stage.pool(), machines);
        stage.settle();
        assertThat(stage.machines()).isEmpty();
        assertThat(stage.target()).isZero();
    }

    @Test
    void aMachineWhoseEndDoesNotShowYetIsNotOrderedToGoAgain() throws Exception {
        stage.aws.readLag(Duration.ofSeconds(30));
        stage.clock.move(Duration.ofMinutes(1));
        var doomed = read().machines().subList(0, 1);
        stage.provider().terminate(stage.pool(), doomed);
        stage.clock.move(Duration.ofSeconds(10));
        stage.provider().terminate(stage.pool(), doomed);
        assertThat(stage.target()).isEqualTo(2);
        assertThat(read().machines())
                .filteredOn(m -> m.state() == Machine.State.DELETING)
                .extracting(Machine::id)
                .containsExactly(doomed.get(0).id());
    }

    @Test
    void anOrderToGoWhoseAnswerIsLostIsNotGivenAgainBeforeItCanShow() throws Exception {
        stage.aws.readLag(Duration.ofSeconds(30));
        stage.clock.move(Duration.ofMinutes(1));
        var doomed = read().machines().subList(0, 1);
        stage.loseAnswer();
        refusal(() -> stage.provider().terminate(stage.pool(), doomed));
        stage.provider().terminate(stage.pool(), doomed);
        assertThat(stage.target()).isEqualTo(2);
    }

    @Test
    void anOrderThatAwsDidNotHaveIsGivenAgainInTheEnd() throws Exception {
        var doomed = read().machines().subList(0, 1);
        stage.strike(AwsFault.error(500, "InternalFailure", "later").on("Terminate"));
        refusal(() -> stage.provider().terminate(stage.pool(), doomed));
        stage.clearFaults();
        stage.clock.move(Departures.UNSEEN.minusSeconds(10));
        stage.provider().terminate(stage.pool(), doomed);
        assertThat(stage.target()).isEqualTo(3);
        stage.clock.move(Duration.ofSeconds(20));
        stage.provider().terminate(stage.pool(), doomed);
        assertThat(stage.target()).isEqualTo(2);
    }

    // Withdrawals while machines are being created.

    @Test
    void whatWillNotComeIsWithdrawnWhileOthersAreBeingMade() throws Exception {
        stage.group.stock(4);
        stage.resize(10);
        stage.appear();
        stage.provider().withdraw(stage.pool(), 10, 4);
        stage.group.stock(20);
        stage.settle();
        assertThat(stage.machines()).hasSize(4);
        assertThat(stage.target()).isEqualTo(4);
    }

    /** Decision 0025: the group is read again after its machines are protected, to notice changes in between. */
    @Test
    void aSizeThatChangesWhileMachinesAreProtectedIsNotOverwritten() {
        stage.group.stock(3);
        stage.resize(5);
        stage.settle();
        stage.strike(meanwhile(() -> stage.group.resize(7)));
        assertThat(refusal(() -> stage.provider().withdraw(stage.pool(), 5, 3)).words())
                .contains("is 7, but was expected to be 5");
        assertThat(stage.target()).isEqualTo(7);
    }

    @Test
    void aMachineThatComesWhileOthersAreProtectedIsNotGivenUp() {
        stage.group.stock(3);
        stage.resize(5);
        stage.settle();
        stage.strike(meanwhile(() -> stage.group.stock(4).launch()));
        assertThat(refusal(() -> stage.provider().withdraw(stage.pool(), 5, 3)).words())
                .contains("4 machines");
        assertThat(stage.target()).isEqualTo(5);
        assertThat(stage.machines()).hasSize(4);
    }

    private AwsFault meanwhile(Runnable change) {
        return ((AwsFault) (aws, exchange, request) -> {
                    change.run();
                    return false;
                })
                .on("SetInstanceProtection");
    }

    // Failures that belong to the current request.

    @Test
    void aLaunchThatFailedBeforeTheOrderSaysNothingOfIt() throws Exception {
        stage.group.log("Launching a new EC2 instance.", "Failed", "InsufficientInstanceCapacity");
        stage.clock.move(Duration.ofMinutes(50));
        assertThat(read().failures()).isEmpty();
        stage.provider().grow(stage.pool(), 3, 5);
        assertThat(read().failures()).isEmpty();
        stage.group.stock(3);
        stage.settle();
        assertThat(read().failures())
                .extracting(Failure::at)
                .containsExactly(stage.clock.instant().minusSeconds(5));
    }

    @Test
    void afterARestartAwsTellsWhenTheOrderWasGiven() throws Exception {
        stage.group.log("Launching a new EC2 instance.", "Failed", "The image id does not exist.");
        stage.clock.move(Duration.ofMinutes(50));
        stage.provider().grow(stage.pool(), 3, 5);
        stage.group.stock(3);
        stage.settle();
        stage.restart();
        assertThat(read().failures()).extracting(Failure::kind).containsExactly(FailureKind.SPOT_CAPACITY);
    }

    @Test
    void activitiesThatGoOnDoNotHideThoseThatFailed() throws Exception {
        read();
        stage.aws.pageSize(2);
        stage.group.resize(5);
        for (int i = 0; i < 4; i++) {
            stage.group.log("Terminating EC2 instance: i-" + i, "InProgress", "");
        }
        stage.clock.move(Duration.ofMinutes(61));
        stage.group.resize(6);
        stage.group.stock(3).launch();
        assertThat(read().failures()).hasSize(1);
    }

    @Test
    void aGroupThatIsMadeAnewIsNotBlamedForAnotherOneOfItsName() throws Exception {
        read();
        stage.group.stock(3);
        stage.provider().grow(stage.pool(), 3, 5);
        stage.settle();
        assertThat(read().failures()).isNotEmpty();
        stage.aws.delete(AwsStage.GROUP);
        stage.clock.move(AwsRegion.FRESH);
        assertThat(refusal(this::read).kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        stage.clock.move(AwsRegion.FRESH);
        stage.aws.group(AwsStage.GROUP).resize(1);
        assertThat(read().failures()).isEmpty();
    }

    @Test
    void whatGoesIntoAWarmPoolMakesUpForNoFailure() throws Exception {
        read();
        stage.group.stock(3);
        stage.provider().grow(stage.pool(), 3, 5);
        stage.settle();
        stage.group.log("Launching a new EC2 instance into warm pool: i-1", "Successful", "");
        stage.clock.move(AwsRegion.FRESH);
        assertThat(read().failures()).hasSize(1);
    }

    // The cost of a slow AWS.

    @Test
    void aListingHoldsFromItsAnswerOn() throws Exception {
        stage.strike((aws, exchange, request) -> {
            if (request.action().equals("DescribeAutoScalingGroups")) {
                stage.clock.move(Duration.ofSeconds(4));
            }
            return false;
        });
        read();
        read();
        assertThat(stage.aws.calls()).containsEntry("DescribeAutoScalingGroups", 1);
    }

    @Test
    @Timeout(30)
    void whoAsksWhileAListingIsUnderWayHasItsFailureToo() throws Exception {
        read();
        stage.clock.move(AwsRegion.FRESH);
        var asked = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        stage.aws.strike((aws, exchange, request) -> {
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return AwsFault.error(400, "Throttling", "Rate exceeded").strike(aws, exchange, request);
        });
        var failures = new ConcurrentLinkedQueue<ProviderException>();
        var first = new Thread(() -> failures.add(refusal(this::read)));
        first.start();
        asked.await();
        var second = new Thread(() -> failures.add(refusal(this::read)));
        second.start();
        while (second.getState() != Thread.State.WAITING
                && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        // A stored answer would not be valid any more.
        stage.clock.move(AwsRegion.FRESH);
        answer.countDown();
        first.join();
        second.join();
        assertThat(failures).hasSize(2).allMatch(e -> e.kind() == FailureKind.THROTTLED);
        assertThat(stage.aws.totalCalls()).isEqualTo(3);
    }

    @Test
    void aMachineHasItsNameOnceItRuns() throws Exception {
        stage.group.resize(4);
        stage.appear();
        assertThat(read().machines()).filteredOn(m -> m.nodeName() == null).hasSize(1);
        stage.settle();
        assertThat(read().machines()).allMatch(m -> m.nodeName() != null);
        var before = stage.aws.calls().get("DescribeInstances");
        stage.settle();
        read();
        assertThat(stage.aws.calls()).containsEntry("DescribeInstances", before);
    }

    // Keys.

    @Test
    void aTokenWithALineBreakIsSaidToHaveOneAndNotShown() {
        var token = "FwoGZXIvYXdzEXAMPLE";
        var settings = stage.settings(StaticCredentialsProvider.create(
                AwsSessionCredentials.create("ASIAIOSFODNN7EXAMPLE", "x".repeat(40), token + "\n" + token)));
        try (var provider = new AwsProvider(stage.clock, region -> new AwsCalls(region, settings))) {
            var refusal = refusal(() -> provider.read(stage.pool()));
            assertThat(refusal.words())
                    .contains("session token contains a line break")
                    .doesNotContain(token);
            assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        }
    }

    @Test
    void wordsOfAwsThatRepeatATokenAreNotShown() {
        var token = "FwoGZXIvYXdzEXAMPLEsession";
        var repeated =
                "The request signature we calculated does not match the signature you provided.%sThe Canonical String for this request should have been 'POST x-amz-security-token:%s'";
        for (var separator : List.of(" ", "\n\n")) {
            assertThat(wordsFor(token, "SignatureDoesNotMatch", repeated.formatted(separator, token)))
                    .contains("signature you provided.; ")
                    .doesNotContain("Canonical")
                    .doesNotContain(token);
        }
        assertThat(wordsFor(token, "InternalFailure", "what is %s to us?".formatted(token)))
                .endsWith("what is (secret) to us?");
    }

    private String wordsFor(String token, String code, String message) {
        var settings = stage.settings(StaticCredentialsProvider.create(
                AwsSessionCredentials.create("ASIAIOSFODNN7EXAMPLE", "x".repeat(40), token)));
        stage.strike(AwsFault.error(403, code, message));
        try (var provider = new AwsProvider(stage.clock, region -> new AwsCalls(region, settings))) {
            return refusal(() -> provider.read(stage.pool())).words();
        }
    }

    @Test
    void aTextThatIsAnotherOneEachTimeIsLeftOut() {
        stage.strike(AwsFault.error(
                403,
                "UnauthorizedOperation",
                "You are not authorized. Encoded authorization failure message: 4GIOHlTk"));
        assertThat(refusal(this::read).words())
                .contains("You are not authorized.; allow ")
                .doesNotContain("4GIO");
    }

    private void protect(String instance) {
        try (var calls = new AwsCalls(AwsStage.REGION, stage.settings())) {
            calls.protect(AwsStage.GROUP, List.of(instance));
        } catch (ProviderException e) {
            throw new AssertionError(e);
        }
    }

    private PoolState read() throws ProviderException {
        return stage.provider().read(stage.pool());
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
