package dev.trainyard.cloud.azure;

import static dev.trainyard.emulator.azure.AzureEmulator.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.emulator.azure.ArmRequest;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.scaler.StrangeValues;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** HTTP faults between the scaler and a scale set. No machine is lost, none is launched in excess, and the message is right. */
class ScaleSetFaultTest {

    private ScaleSetStage cloud = new ScaleSetStage();

    @AfterEach
    void close() {
        cloud.close();
    }

    /** Replaces each value of each answer in turn with an invalid one. */
    @Test
    void strangeValuesAreReadOrRefusedInWords() throws Exception {
        cloud.stock(1);
        cloud.provider().grow(cloud.pool(), 0, 3);
        cloud.settle();
        var names = StrangeValues.JSON.meet(cloud.arm::rewrite, () -> {
            cloud.restart();
            return cloud.provider().read(cloud.pool());
        });
        assertThat(names).contains("provisioningState");
        cloud.restart();
        assertThat(read().target()).isEqualTo(3);
    }

    @Test
    void throttledWithRetryAfterAsksNothingMoreUntilThen() throws Exception {
        running(3);
        cloud.arm.retryAfter(Duration.ofMinutes(20));
        cloud.throttle();
        cloud.arm.forget();
        int refusals = 0;
        for (int second = 0; second < 1180; second += 5) {
            var refusal = catchThrowableOfType(ProviderException.class, this::read);
            assertThat(refusal.kind()).isEqualTo(FailureKind.THROTTLED);
            assertThat(refusal.retryAfter())
                    .hasValueSatisfying(
                            left -> assertThat(left).isBetween(Duration.ofSeconds(15), Duration.ofMinutes(20)));
            refusals++;
            cloud.clock.move(Duration.ofSeconds(5));
        }
        assertThat(refusals).isEqualTo(236);
        cloud.arm.clearFaults();
        // Only one request for the set was made. Azure's limits include refused requests, so more would have prolonged
        // the throttling.
        assertThat(cloud.arm.troubles()).isEqualTo(1);
        cloud.clock.move(Duration.ofSeconds(20));
        assertThat(read().target()).isEqualTo(3);
        assertThat(cloud.machines()).hasSize(3);
    }

    @Test
    void whereTheWholeSubscriptionAskedTooMuchNothingIsAskedOfAnySet() throws Exception {
        running(1);
        cloud.arm.scaleSet("other-vmss");
        cloud.clock.move(Duration.ofMinutes(1));
        cloud.arm.troubleOnce(ScaleSetStage.ANY, AzureFault.SUBSCRIPTION_THROTTLED);
        assertThat(refusal(this::read)).isEqualTo(FailureKind.THROTTLED);
        cloud.arm.forget();
        var other = ScaleSetStage.pool("other", "other-vmss", 10);
        assertThat(refusal(() -> cloud.provider().read(other))).isEqualTo(FailureKind.THROTTLED);
        assertThat(cloud.arm.seen()).isEmpty();
        cloud.clock.move(Duration.ofSeconds(40));
        assertThat(cloud.provider().read(other).target()).isZero();
    }

    @Test
    void azureIsNotBelievedWhenItWantsNothingForHours() throws Exception {
        running(1);
        cloud.clock.move(Duration.ofMinutes(1));
        cloud.arm.retryAfter(Duration.ofHours(10));
        cloud.arm.troubleOnce(ScaleSetStage.ANY, AzureFault.THROTTLED_WITH_RETRY_AFTER);
        var refusal = catchThrowableOfType(ProviderException.class, this::read);
        assertThat(refusal.retryAfter()).hasValue(Duration.ofMinutes(30));
        cloud.clock.move(Duration.ofMinutes(30));
        assertThat(read().target()).isEqualTo(1);
    }

    @Test
    void aLinkToAnotherAddressIsNotFollowed() throws Exception {
        running(3);
        cloud.arm.pageSize(2);
        cloud.arm.linkTo(URI.create(cloud.arm.url().toString().replace("127.0.0.1", "localhost")));
        cloud.clock.move(Duration.ofMinutes(6));
        var refusal = catchThrowableOfType(ProviderException.class, this::read);
        assertThat(refusal.words()).contains("an address outside Azure").contains("localhost");
    }

    @Test
    void anOperationAtAnotherAddressIsNotLookedAt() throws Exception {
        cloud.arm.linkTo(URI.create(cloud.arm.url().toString().replace("127.0.0.1", "localhost")));
        cloud.stock(0);
        cloud.provider().grow(cloud.pool(), 0, 1);
        cloud.settle();
        assertThat(read().failures()).extracting(Failure::kind).containsExactly(FailureKind.SPOT_CAPACITY);
        cloud.provider().withdraw(cloud.pool(), 1, 0);
        assertThat(cloud.target()).isZero();
        assertThat(cloud.arm.seen()).noneMatch(call -> call.bucket().equals("operation"));
    }

    @Test
    void oneSlowSetSilencesNoOther() throws Exception {
        cloud.close();
        cloud = new ScaleSetStage(Duration.ofMillis(900));
        for (var set : List.of("other-vmss", "third-vmss")) {
            cloud.arm.scaleSet(set);
        }
        cloud.arm.trouble(request -> request.path().contains(ScaleSetStage.SET), AzureFault.HANGS);
        assertThat(refusal(this::read)).isEqualTo(FailureKind.TRANSIENT);
        var other = ScaleSetStage.pool("other", "other-vmss", 10);
        assertThat(cloud.provider().read(other).target()).isZero();
        cloud.clock.move(Duration.ofMinutes(1));
        cloud.arm.trouble(request -> request.path().contains("other-vmss"), AzureFault.HANGS);
        assertThat(refusal(this::read)).isEqualTo(FailureKind.TRANSIENT);
        assertThat(refusal(() -> cloud.provider().read(other))).isEqualTo(FailureKind.TRANSIENT);
        assertThat(refusal(() -> cloud.provider().read(ScaleSetStage.pool("third", "third-vmss", 10))))
                .isEqualTo(FailureKind.TRANSIENT);
    }

    @Test
    void aLaterFailureOfASetIsHeardThoughAnOlderOneIsKnown() throws Exception {
        cloud.stock(0);
        cloud.provider().grow(cloud.pool(), 0, 1);
        cloud.settle();
        var first = read().failures();
        assertThat(first).hasSize(1);
        cloud.set.stockOut(error("QuotaExceeded", "exceeding LowPriorityCores quota."));
        // Another process makes the same request again.
        cloud.set.resize(2);
        cloud.settle();
        assertThat(read().failures()).extracting(Failure::kind).containsExactly(FailureKind.QUOTA);
    }

    @Test
    void aDeletionThatIsBegunOnceMorePassesOverMachinesThatWent() throws Exception {
        var machines = running(3);
        cloud.set.deletionFailure(Optional.of(
                error("OperationPreempted", "Operation execution has been preempted by a more recent operation.")));
        cloud.provider().terminate(cloud.pool(), machines.subList(0, 2));
        cloud.settle();
        cloud.set.deletionFailure(Optional.empty());
        cloud.set.evict(machines.get(0).id());
        read();
        cloud.settle();
        assertThat(read().machines())
                .extracting(Machine::id)
                .containsExactly(machines.get(2).id());
    }

    @Test
    void afterAnAnswerThatWasLostTheSetIsReadAnew() throws Exception {
        running(1);
        cloud.loseAnswer();
        assertThat(refusal(() -> cloud.provider().grow(cloud.pool(), 1, 3))).isEqualTo(FailureKind.TRANSIENT);
        assertThat(read().target()).isEqualTo(3);
    }

    @Test
    void throttledWithoutRetryAfterAsksAFewTimesAMinute() throws Exception {
        running(3);
        cloud.arm.trouble(ScaleSetStage.ANY, AzureFault.THROTTLED);
        cloud.clock.move(Duration.ofSeconds(61));
        for (int second = 0; second < 300; second += 5) {
            assertThat(refusal(this::read)).isEqualTo(FailureKind.THROTTLED);
            cloud.clock.move(Duration.ofSeconds(5));
        }
        assertThat(cloud.arm.troubles()).isLessThanOrEqualTo(20);
        cloud.clearFaults();
        assertThat(read().target()).isEqualTo(3);
    }

    /** kubernetes/autoscaler 3240: a 429 became the size -1, and 197 of 200 machines were deleted. */
    @Test
    void aThrottledReadIsNoSizeAndCostsNoMachine() throws Exception {
        cloud.set.resize(200);
        cloud.settle();
        cloud.throttle();
        assertThat(refusal(this::read)).isEqualTo(FailureKind.THROTTLED);
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 200, 3)))
                .isEqualTo(FailureKind.THROTTLED);
        assertThat(refusal(() -> cloud.provider().grow(cloud.pool(), 200, 201))).isEqualTo(FailureKind.THROTTLED);
        cloud.clearFaults();
        cloud.settle();
        assertThat(read().target()).isEqualTo(200);
        assertThat(cloud.machines()).hasSize(200);
    }

    /** kubernetes/autoscaler 7432: a cached size of 48 shrank a set of 86 machines to 53. */
    @Test
    void aStaleSizeNeverShrinksASet() throws Exception {
        cloud.set.resize(48);
        cloud.settle();
        assertThat(read().target()).isEqualTo(48);
        cloud.set.resize(86);
        cloud.arm.advance();
        assertThat(refusal(() -> cloud.provider().grow(cloud.pool(), 48, 53))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(86);
        assertThat(read().target()).isEqualTo(86);
    }

    @Test
    void aSetThatChangesBetweenReadingAndWritingIsNotWritten() throws Exception {
        running(5);
        cloud.set.meanwhile(() -> cloud.set.resize(12));
        assertThat(refusal(() -> cloud.provider().grow(cloud.pool(), 5, 6))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(12);
    }

    @Test
    void whatIsWithdrawnIsNotAMachineThatCameMeanwhile() throws Exception {
        cloud.stock(2);
        cloud.provider().grow(cloud.pool(), 0, 5);
        cloud.settle();
        read();
        cloud.stock(10);
        // Another client requests the same size again, and Azure creates the three missing machines.
        cloud.set.meanwhile(() -> cloud.set.resize(5));
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(5);
    }

    @Test
    void aListOfMachinesThatLagsCostsNoMachine() throws Exception {
        running(5);
        cloud.set.unlisted(3);
        cloud.clock.move(Duration.ofMinutes(6));
        assertThat(read().machines()).hasSize(2);
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(5);
        assertThat(cloud.target()).isEqualTo(5);
    }

    @Test
    void whereAzureDoesNotCountTheListMustStayTheSameForAWhile() throws Exception {
        cloud.startWithTickingClock();
        cloud.set.withoutSummary();
        cloud.stock(2);
        cloud.provider().grow(cloud.pool(), 0, 5);
        cloud.settle();
        read();
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.set.unlisted(1);
        cloud.clock.move(ScaleSetMemory.SURE);
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.set.unlisted(0);
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.clock.move(ScaleSetMemory.SURE.minusSeconds(1));
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        cloud.clock.move(Duration.ofSeconds(1));
        cloud.provider().withdraw(cloud.pool(), 5, 2);
        cloud.settle();
        assertThat(cloud.target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void nothingIsWithdrawnWhileTheSetChanges() throws Exception {
        cloud.stock(2);
        cloud.set.resize(5);
        cloud.arm.advance();
        // This process started no operation: only the set's own state shows that machines may be created.
        assertThat(refusal(() -> cloud.provider().withdraw(cloud.pool(), 5, 2))).isEqualTo(FailureKind.CONFLICT);
        assertThat(cloud.target()).isEqualTo(5);
        cloud.settle();
        cloud.provider().withdraw(cloud.pool(), 5, 2);
        assertThat(cloud.target()).isEqualTo(2);
    }

    @Test
    void theSizeOfASetWithoutAnEtagIsNotWritten() throws Exception {
        running(2);
        cloud.set.withoutEtag();
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(cloud.pool(), 2, 3));
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(refusal.words()).contains("without an etag");
        assertThat(cloud.target()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_SHORT", "HALF_JSON", "INTERNAL_ERROR", "RESET"})
    void aListOfWhichAPageFailsIsNoList(AzureFault fault) throws Exception {
        cloud.arm.pageSize(2);
        running(5);
        cloud.arm.trouble(ScaleSetFaultTest::isLaterPage, fault);
        cloud.clock.move(Duration.ofMinutes(6));
        assertThat(refusal(this::read)).isEqualTo(FailureKind.TRANSIENT);
        cloud.clearFaults();
        assertThat(read().machines()).hasSize(5);
        assertThat(cloud.machines()).hasSize(5);
    }

    @Test
    void aSlowAnswerIsCutOffAndTheNextPoolDoesNotWaitForTheSame() throws Exception {
        cloud.close();
        cloud = new ScaleSetStage(Duration.ofMillis(700));
        cloud.arm.trouble(ScaleSetStage.ANY, AzureFault.HANGS);
        assertThat(refusal(this::read)).isEqualTo(FailureKind.TRANSIENT);
        long started = System.nanoTime();
        assertThat(refusal(this::read)).isEqualTo(FailureKind.TRANSIENT);
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofMillis(500));
        cloud.clearFaults();
        assertThat(read().target()).isZero();
    }

    @Test
    void anExpiredTokenIsAMatterOfCredentialsAndPasses() throws Exception {
        running(1);
        cloud.arm.trouble(ScaleSetStage.ANY, AzureFault.TOKEN_EXPIRED);
        cloud.clock.move(Duration.ofSeconds(61));
        var refusal = catchThrowableOfType(ProviderException.class, this::read);
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        assertThat(refusal.words()).contains("ExpiredAuthenticationToken", "expiry");
        cloud.clearFaults();
        assertThat(read().machines()).hasSize(1);
    }

    @Test
    void theRightThatLacksIsNamed() {
        cloud.forbid();
        var refusal = catchThrowableOfType(ProviderException.class, this::read);
        assertThat(refusal.words()).contains("Microsoft.Compute/virtualMachineScaleSets/read", "manifests/azure");
    }

    static List<Object[]> stockOuts() {
        var quota =
                "Operation could not be completed as it results in exceeding approved %s quota. Additional details - Deployment Model: Resource Manager, Location: westeurope, Current Limit: %d, Current Usage: 0, Additional Required: 6, (Minimum) New Limit Required: 6.";
        return List.of(
                new Object[] {error("AllocationFailed", "Allocation failed."), FailureKind.SPOT_CAPACITY},
                new Object[] {error("ZonalAllocationFailed", "Allocation failed in zone 1."), FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error(
                            "OverconstrainedAllocationRequest",
                            "Allocation failed. VM(s) with the following constraints cannot be allocated."),
                    FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error("OverconstrainedZonalAllocationRequest", "Constraints applied are: Low Priority VMs"),
                    FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error(
                            "SkuNotAvailable",
                            "The requested VM size is currently not available in location 'westeurope'."),
                    FailureKind.SPOT_CAPACITY
                },
                new Object[] {error("QuotaExceeded", quota.formatted("standardNCSv3Family Cores", 6)), FailureKind.QUOTA
                },
                new Object[] {error("OperationNotAllowed", quota.formatted("LowPriorityCores", 3)), FailureKind.QUOTA},
                new Object[] {
                    error("OperationNotAllowed", quota.formatted("Total Regional Cores", 0)), FailureKind.QUOTA
                },
                new Object[] {
                    error(
                            "OperationNotAllowed",
                            "The operation is not allowed on a set that manages updates using maintenance control."),
                    FailureKind.TRANSIENT
                },
                new Object[] {
                    error("InsufficientSubnetSize", "Subnet default does not have enough capacity for 5 IP addresses."),
                    FailureKind.INVALID_CONFIGURATION
                },
                new Object[] {
                    wrapped("Conflict", error("AllocationFailed", "Allocation failed.")), FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error("InternalExecutionError", "An internal execution error occurred."), FailureKind.TRANSIENT
                });
    }

    @ParameterizedTest
    @MethodSource("stockOuts")
    void whatBecameOfAnOrderIsToldAtTheFirstLookAfterItFailed(ObjectNode error, FailureKind kind) throws Exception {
        cloud.set.stockOut(error);
        cloud.stock(2);
        cloud.provider().grow(cloud.pool(), 0, 5);
        var began = cloud.clock.instant();
        List<Failure> failures = List.of();
        while (failures.isEmpty() && cloud.clock.instant().isBefore(began.plusSeconds(120))) {
            failures = read().failures();
            if (failures.isEmpty()) {
                cloud.clock.move(ScaleSetProvider.ATTENTION);
            }
        }
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).kind()).isEqualTo(kind);
        assertThat(failures.get(0).at()).isEqualTo(began.plus(AzurePace.USUAL.failure()));
        assertThat(failures.get(0).message())
                .contains(innermost(error).path("message").asText());
        assertThat(cloud.clock.instant())
                .as("one interval after the cloud can be heard")
                .isBefore(began.plus(AzurePace.USUAL.failure()).plus(ScaleSetProvider.ATTENTION));
        cloud.settle();
        assertThat(cloud.machines()).hasSize(2);
        assertThat(read().target()).isEqualTo(5);
    }

    @Test
    void machinesThatFailedAreToldWithTheirReasonAndCanGo() throws Exception {
        cloud.set.showFailed();
        cloud.stock(2);
        cloud.provider().grow(cloud.pool(), 0, 3);
        cloud.settle();
        cloud.restart();
        var state = read();
        var failed =
                state.machines().stream().filter(m -> m.state() == State.FAILED).toList();
        assertThat(failed).hasSize(1);
        assertThat(state.failures()).extracting(Failure::kind).containsOnly(FailureKind.SPOT_CAPACITY);
        cloud.provider().terminate(cloud.pool(), failed);
        cloud.settle();
        assertThat(read().target()).isEqualTo(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void anOldFailureOfASetIsHistory() throws Exception {
        cloud.stock(0);
        cloud.provider().grow(cloud.pool(), 0, 1);
        cloud.settle();
        cloud.restart();
        cloud.clock.move(Duration.ofMinutes(30));
        assertThat(read().failures()).isEmpty();
    }

    @Test
    void aDeletionThatWasCutShortIsBegunOnceMore() throws Exception {
        var machines = running(3);
        cloud.set.deletionFailure(Optional.of(
                error("OperationPreempted", "Operation execution has been preempted by a more recent operation.")));
        cloud.provider().terminate(cloud.pool(), machines.subList(0, 1));
        cloud.settle();
        read();
        assertThat(deletions()).isEqualTo(2);
        cloud.set.deletionFailure(Optional.empty());
        cloud.settle();
        read();
        cloud.settle();
        read();
        assertThat(deletions()).as("once").isEqualTo(2);
    }

    @Test
    void aDeletionThatFailsBlamesNoPoolAndIsNotTriedTooOften() throws Exception {
        var machines = running(3);
        cloud.set.deletionFailure(
                Optional.of(error("InternalExecutionError", "An internal execution error occurred.")));
        cloud.provider().terminate(cloud.pool(), machines.subList(0, 1));
        cloud.settle();
        assertThat(read().failures()).isEmpty();
        var doomed = read().machines().subList(0, 1);
        assertThat(refusal(() -> cloud.provider().terminate(cloud.pool(), doomed)))
                .isEqualTo(FailureKind.TRANSIENT);
        assertThat(deletions()).isEqualTo(1);
        cloud.set.deletionFailure(Optional.empty());
        cloud.clock.move(Duration.ofMinutes(1));
        cloud.provider().terminate(cloud.pool(), read().machines().subList(0, 1));
        cloud.settle();
        assertThat(cloud.machines()).hasSize(2);
        assertThat(read().target()).isEqualTo(2);
    }

    @Test
    void theCloudIsAskedOnceForMachinesThatLeave() throws Exception {
        var machines = running(2);
        for (int round = 0; round < 5; round++) {
            cloud.provider().terminate(cloud.pool(), machines);
            assertThat(read().machines()).extracting(Machine::state).containsOnly(State.DELETING);
        }
        assertThat(deletions()).isEqualTo(1);
        assertThat(read().target()).isZero();
    }

    @Test
    void evictedMachinesThatStayHaveFailedAndTheSetIsWarnedOf() throws Exception {
        cloud.set.evictionPolicy("Deallocate");
        var machines = running(2);
        cloud.set.evict(machines.get(0).id());
        cloud.clock.move(Duration.ofSeconds(61));
        var state = read();
        assertThat(state.machines()).extracting(Machine::state).containsExactlyInAnyOrder(State.FAILED, State.RUNNING);
        assertThat(state.warnings()).anyMatch(warning -> warning.contains("eviction policy is Deallocate"));
        cloud.provider()
                .terminate(
                        cloud.pool(),
                        state.machines().stream()
                                .filter(m -> m.state() == State.FAILED)
                                .toList());
        cloud.settle();
        assertThat(read().target()).isEqualTo(1);
    }

    @Test
    void aSetWithOnePlacementGroupIsBoundToAHundred() throws Exception {
        cloud.set.onePlacementGroup();
        var pool = ScaleSetStage.pool("heavy-spot", ScaleSetStage.SET, 150);
        var state = cloud.provider().read(pool);
        assertThat(state.bounds().most()).isEqualTo(100);
        assertThat(state.warnings()).anyMatch(warning -> warning.contains("singlePlacementGroup"));
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(pool, 0, 101));
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(refusal.words()).contains("101", "100", "spec.max");
        assertThat(cloud.target()).isZero();
    }

    /** Such settings end training pods without a message. AWS's counterpart is AZRebalance. */
    @Test
    void whatHasAzureReplaceMachinesAtWorkIsToldOf() throws Exception {
        cloud.set.upgrades("Rolling", true).repairs();

        assertThat(read().warnings())
                .filteredOn(warning -> warning.contains("may restart or replace"))
                .containsExactly(
                        "Azure may restart or replace its machines during trainings, because of upgradePolicy.mode Rolling; set the mode to Manual",
                        "Azure may restart or replace its machines during trainings, because of"
                                + " upgradePolicy.automaticOSUpgradePolicy.enableAutomaticOSUpgrade; set the field to false",
                        "Azure may restart or replace its machines during trainings, because of automaticRepairsPolicy.enabled;"
                                + " set the field to false");
    }

    @Test
    void aSetThatLeavesMachinesAtWorkAloneIsSound() throws Exception {
        cloud.set.upgrades("Manual", false);

        assertThat(read().warnings()).isEmpty();
    }

    @Test
    void aFlexibleSetGrowsByWhatIsAskedForWhateverItsSizeSays() throws Exception {
        flexible(3);
        var names = List.copyOf(cloud.set.present());
        cloud.vanish(names.get(0));
        cloud.settle();
        assertThat(cloud.set.capacity()).isEqualTo(3);
        assertThat(read().target()).isEqualTo(2);

        cloud.provider().grow(cloud.pool(), 2, 3);
        assertThat(read().target()).isEqualTo(3);
        cloud.settle();

        assertThat(cloud.set.present()).hasSize(3).contains(names.get(1), names.get(2));
        assertThat(read().target()).isEqualTo(3);
    }

    @Test
    void aMachineOfAFlexibleSetThatWentAloneIsOwedUntilTheListIsSure() throws Exception {
        flexible(3);
        cloud.vanish(cloud.set.present().first());

        assertThat(read().unfilled()).isEqualTo(1);
        cloud.clock.move(Duration.ofSeconds(20));
        assertThat(read().unfilled()).isEqualTo(1);
        cloud.clock.move(Duration.ofSeconds(20));
        assertThat(read().unfilled()).isZero();
    }

    @Test
    void theSizeOfAFlexibleSetIsNotLoweredForWhatDidNotCome() throws Exception {
        flexible(2);
        cloud.stock(2);
        cloud.provider().grow(cloud.pool(), 2, 5);
        cloud.clock.move(Duration.ofMinutes(5));
        assertThat(read().unfilled()).isEqualTo(3);
        cloud.clock.move(Duration.ofSeconds(31));
        cloud.arm.forget();

        cloud.provider().withdraw(cloud.pool(), 5, 2);

        assertThat(cloud.arm.seen()).noneMatch(seen -> seen.request().changes());
        assertThat(cloud.set.present()).hasSize(2);
        assertThat(read().target()).isEqualTo(2);
    }

    @Test
    void machinesOfAFlexibleSetAreOwedWhileItsOrderGoesOn() throws Exception {
        flexible(1);
        cloud.set.seemSettled();
        cloud.set.unlisted(2);
        cloud.provider().grow(cloud.pool(), 1, 3);
        for (int second = 0; second < 80; second += 10) {
            cloud.clock.move(Duration.ofSeconds(10));
            assertThat(read().unfilled()).isEqualTo(2);
        }
        cloud.set.unlisted(0);
        cloud.settle();

        assertThat(read().target()).isEqualTo(3);
        assertThat(read().machines()).hasSize(3);
    }

    @Test
    void theSizeOfAFlexibleSetStartsAgainAtZeroOnlyWhenItHasNoMachines() throws Exception {
        flexible(1);
        cloud.stock(1);
        cloud.set.resize(1000);
        cloud.settle();
        assertThat(read().target()).isEqualTo(1);

        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(cloud.pool(), 1, 2));
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(refusal.words()).contains("sku.capacity 1000 and 1 machines", "empty the pool");

        cloud.vanish(cloud.set.present().first());
        cloud.settle();
        var first = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(cloud.pool(), 0, 1));
        assertThat(first.kind()).isEqualTo(FailureKind.TRANSIENT);
        assertThat(cloud.set.capacity()).isZero();
        cloud.settle();
        cloud.provider().grow(cloud.pool(), 0, 1);
        assertThat(cloud.set.present()).hasSize(1);
    }

    @Test
    void strangeValuesOfAFlexibleSetAreReadOrRefusedInWords() throws Exception {
        flexible(1);
        var names = StrangeValues.JSON.meet(cloud.arm::rewrite, () -> {
            cloud.start();
            return cloud.provider().read(cloud.pool());
        });
        assertThat(names).contains("orchestrationMode", "timeCreated");
        cloud.start();
        assertThat(read().target()).isEqualTo(1);
    }

    private void flexible(int machines) throws Exception {
        cloud.close();
        cloud = ScaleSetStage.flexible();
        cloud.provider().grow(cloud.pool(), 0, machines);
        cloud.settle();
    }

    @Test
    void aSetThatIsNotThereIsAMatterOfConfiguration() {
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().read(ScaleSetStage.pool("other", "no-such-set", 10)));
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(refusal.words()).contains("ResourceNotFound", "no-such-set");
    }

    @Test
    void machinesOfAnotherSetAreNotTouched() throws Exception {
        var machines = running(2);
        var other = cloud.arm.scaleSet("other-vmss");
        other.resize(2);
        cloud.settle();
        cloud.provider().terminate(ScaleSetStage.pool("other", "other-vmss", 10), machines);
        cloud.settle();
        assertThat(other.present()).hasSize(2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void nodesAreKnownByIdAndByName() throws Exception {
        var machine = running(1).get(0);
        assertThat(machine.providerId())
                .isEqualToIgnoringCase(
                        "azure:///subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/virtualMachineScaleSets/%s/virtualMachines/0"
                                .formatted(AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP, ScaleSetStage.SET));
        assertThat(machine.nodeName()).isEqualTo("k8s-heavyspot-vmss000000");
    }

    private static ObjectNode wrapped(String code, ObjectNode cause) {
        var error = error(code, "The request failed due to conflict with a concurrent request.");
        error.putArray("details").add(cause);
        return error;
    }

    private static ObjectNode innermost(ObjectNode error) {
        return error.path("details").isArray()
                ? (ObjectNode) error.path("details").get(0)
                : error;
    }

    private long deletions() {
        return cloud.arm.seen().stream()
                .filter(call -> call.request().method().equals("POST"))
                .count();
    }

    private List<Machine> running(int machines) throws ProviderException {
        cloud.provider().grow(cloud.pool(), 0, machines);
        cloud.settle();
        var state = read();
        assertThat(state.machines()).hasSize(machines);
        return state.machines();
    }

    private PoolState read() throws ProviderException {
        return cloud.provider().read(cloud.pool());
    }

    @FunctionalInterface
    private interface Command {
        void give() throws ProviderException;
    }

    private static FailureKind refusal(Command command) {
        var refusal = catchThrowableOfType(ProviderException.class, command::give);
        assertThat(refusal).as("refused").isNotNull();
        return refusal.kind();
    }

    private static boolean isLaterPage(ArmRequest request) {
        return request.query().containsKey("$skiptoken");
    }
}
