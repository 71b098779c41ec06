package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.ledger.Debt;
import dev.trainyard.scaler.ledger.NodeHistory;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.ledger.Reliability;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The choice between pools that a tier prefers equally. */
class EquallyPreferredTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void theCheaperPoolGrows() {
        spotPools("0.5", "0.4").waiting(3, "train", "gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("b 0->3");
    }

    @Test
    void theFirstByNameGrowsIfBothCostTheSame() {
        spotPools("0.5", "0.5").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("a 0->1");
    }

    @Test
    void theOrderCountsWithoutAGroup() {
        spotPools("0.5", "0.4").tier("gpu", "a", "b", "on-demand").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("a 0->1");
    }

    @Test
    void anotherRankIsNotChosenForItsPrice() {
        spotPools("2", "3").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("a 0->1");
    }

    @Test
    void theDearerPoolGrowsIfReclaimsCostMoreThanTheDifference() {
        spotPools("0.5", "0.52").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        remember("a", 5, 0);

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("b 0->1");
        assertThat(plan.growths().get(0))
                .hasToString("pool b grows from 0 to 1 machines (1 requested, 1 needed) for tier gpu; "
                        + "the cheapest for these pods among equally preferred pools, by the price of a useful GPU hour: "
                        + "a 0.523 (0.5, and 4.5 % more for lost time), b 0.52 (0.52, and 0 % more for lost time)");
        assertThat(plan.growths().get(0).insteadOf()).isEmpty();
    }

    @Test
    void theCheaperPoolGrowsIfReclaimsCostLessThanTheDifference() {
        spotPools("0.5", "0.52").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        remember("a", 4, 0);

        assertThat(grown(plan(testCluster))).isEqualTo("a 0->1");
    }

    @Test
    void failedLaunchesAreForgottenWithTime() {
        spotPools("0.5", "0.502").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        remember("a", 0, 3);

        assertThat(grown(plan(testCluster))).isEqualTo("b 0->1");
        testCluster.later(Duration.ofDays(3));
        assertThat(grown(plan(testCluster))).isEqualTo("a 0->1");
    }

    @Test
    void theOtherPoolGrowsInTheRoundOfAFailure() {
        spotPools("0.5", "0.6")
                .waiting(2, "train", "gpu", "nvidia.com/gpu", "1")
                .cloudFails("a", 2, FailureKind.SPOT_CAPACITY, "no spot machines left");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("b 0->2");
        assertThat(plan.growths().get(0).insteadOf()).extracting(Refusal::brief).containsExactly("a backs off");
    }

    @Test
    void eachPoolOfTheGroupIsGivenUpAfterTheTimeToFallBack() {
        spotPools("0.5", "0.6").tiers.put("gpu", Objects.tier(List.of("a", "b"), "a", "b"));

        assertThat(testCluster.snapshot().pools().values())
                .filteredOn(pool -> pool.pool().isSpot())
                .extracting(PoolView::deliveryTimeout)
                .containsOnly(Duration.ofMinutes(3));
    }

    @Test
    void aRatingOfTheCloudRaisesTheExpectedPrice() {
        spotPools("0.5", "0.5").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        var asked = new ArrayList<String>();
        var rated = testCluster.snapshot().withSpotScores(pool -> {
            asked.add(pool.name());
            return Optional.of(pool.name().equals("a") ? 1 : 9);
        });

        assertThat(asked).containsExactly("a", "b");
        assertThat(grown(Planner.plan(rated))).isEqualTo("b 0->1");
        assertThat(Planner.plan(rated).growths().get(0).toString())
                .contains(
                        "a 0.505 (0.5, and 0 % more for lost time, spot score 1), b 0.501 (0.5, and 0 % more for lost time, spot score 9)");
    }

    @Test
    void roundsAskTheCloudForItsRatings() {
        var world = new ScalerFixture()
                .pool("a", Objects.spot(1))
                .pool("b", Objects.spot(1).kwok(new Kwok(9, "3s", "2s", "1s")));
        world.cluster.tier("gpu", Objects.tier(List.of("a", "b"), "a", "b"));
        world.cloud.spotScores.putAll(Map.of("a", 3, "b", 9));
        world.seconds(5);

        world.waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        world.seconds(5);

        assertThat(world.cloud.calls).containsExactly("grow b 0->1");
    }

    @Test
    void aRatingOfTheCloudCountsAsMuchForAPoolWithManyMachineHours() {
        spotPools("0.5", "0.5").waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        remember("a", new Reliability(testCluster.now, 50, 1700, 0, 0));

        var rated = testCluster
                .snapshot()
                .withSpotScores(pool -> Optional.of(pool.name().equals("a") ? 8 : 9));

        assertThat(grown(Planner.plan(rated))).isEqualTo("b 0->1");
    }

    @Test
    void aMachineThatIsLargerThanNecessaryIsReplacedWithinItsRankOnly() {
        testCluster
                .pool("large", Objects.spot(4).price("2"))
                .pool("small", Objects.spot(1).price("1.5"))
                .pool("tiny", Objects.onDemand(1).price("0.1"))
                .tiers
                .put("gpu", Objects.tier(List.of("large", "small"), "large", "small", "tiny"));
        testCluster.waiting(1, "train", "gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("small 0->1");

        testCluster.waiting(2, "more", "gpu", "nvidia.com/gpu", "1");
        assertThat(grown(plan(testCluster))).isEqualTo("large 0->1");
    }

    @Test
    void provisioningMachinesOfBothPoolsAreUsedFirst() {
        spotPools("0.5", "0.4")
                .cloud("a", 1, SnapshotFixture.machine("a", "m1", State.CREATING, Objects.NOON))
                .waiting(1, "train", "gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEmpty();
    }

    private SnapshotFixture spotPools(String priceOfA, String priceOfB) {
        testCluster
                .pool("a", Objects.spot(1).price(priceOfA))
                .pool("b", Objects.spot(1).price(priceOfB))
                .pool("on-demand", Objects.onDemand(1).price("1.5"))
                .tiers
                .put("gpu", Objects.tier(List.of("a", "b"), "a", "b", "on-demand"));
        return testCluster;
    }

    private void remember(String pool, double reclaims, double failedLaunches) {
        remember(pool, new Reliability(testCluster.now, 0, 0, reclaims, failedLaunches));
    }

    private void remember(String pool, Reliability reliability) {
        testCluster.ledgers.put(
                pool,
                new PoolLedger(
                        Optional.empty(),
                        Instant.EPOCH,
                        Debt.NONE,
                        Optional.empty(),
                        0,
                        NodeHistory.NONE,
                        reliability));
    }
}
