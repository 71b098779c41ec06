package dev.trainyard.scaler.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.trainyard.scaler.Logged;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JSON of the status page. Run with -Dtrainyard.update=true to rewrite the expected file. */
class StatusDocumentTest {

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final Path EXPECTED = Path.of(System.getProperty("trainyard.root"))
            .resolve("scaler/src/test/resources/dev/trainyard/scaler/page/status.json");

    @Test
    void hasTheShapeThatProgramsRelyOn() throws IOException {
        var actual =
                JSON.writeValueAsString(JSON.readTree(Scenes.silentAfterWork().statusJson())) + "\n";
        if (Boolean.getBoolean("trainyard.update")) {
            Files.createDirectories(EXPECTED.getParent());
            Files.writeString(EXPECTED, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(EXPECTED));
    }

    @Test
    void tellsWhatARoundFound() throws IOException {
        var world = new ScalerFixture()
                .pool("light-spot", Objects.spot(1).price("0.61").max(1))
                .tier("light-gpu", "light-spot");
        var board = Scenes.board(world.clock);
        world.waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(40);
        world.show(board);
        var status = read(board);
        assertThat(status.at("/pools/0/ready").asInt()).isEqualTo(1);
        assertThat(status.at("/pools/0/states/busy").asInt()).isEqualTo(1);
        assertThat(status.at("/cost/perHour").asText()).isEqualTo("0.61");
        assertThat(status.at("/waiting/byOutcome/0/outcome").asText()).isEqualTo("at-maximum");
        assertThat(status.at("/waiting/pods/0/pod").asText()).isEqualTo("team/train-2");
    }

    @Test
    void staysShortHoweverManyMachinesAndPodsThereAre() throws IOException {
        var board = Scenes.large(5000, 50);
        var status = read(board);
        assertThat(status.at("/waiting/total").asInt()).isEqualTo(3000);
        assertThat(status.at("/waiting/pods")).hasSize(StatusDocument.PODS_NAMED);
        assertThat(status.at("/pools")).hasSize(50);
        assertThat(board.statusJson().length).isLessThan(1 << 20);
        var machines = JSON.readTree(board.machinesJson("pool-00-with-a-usual-name", "busy"));
        assertThat(machines.at("/total").asInt()).isBetween(90, 100);
    }

    @Test
    void aRoundThatFailsLeavesWhatWasKnownAndSaysSo() throws IOException {
        var board = Scenes.silent();
        board.failed("the API server said no");
        board.failed("the API server said no");
        assertThat(read(board).at("/scaler/failedRounds").asInt()).isEqualTo(2);
        assertThat(read(board).at("/scaler/problem").asText()).isEqualTo("the API server said no");
        assertThat(read(board).at("/pools")).hasSize(1);
        board.show(new ClusterStatus("2026-01-01T12:00:00Z", List.of(), List.of(), List.of(), List.of()));
        assertThat(read(board).at("/scaler/failedRounds").asInt()).isZero();
        assertThat(read(board).at("/scaler").has("problem")).isFalse();
    }

    @Test
    @SuppressWarnings("NullAway") // simulates a bug of ours
    void whatCannotBeShownIsSaidOnceAndStopsNoRound() throws IOException {
        var board = Scenes.silent();
        board.failed("the API server said no");
        try (var log = new Logged("dev.trainyard.scaler.page")) {
            board.observed(null, null, List.of());
            board.observed(null, null, List.of());
            board.told("Node", "a", false, "Removed", null);
            assertThat(log.lines())
                    .containsExactly("the status page cannot show the result of a round; rounds continue");
        }
        assertThat(read(board).at("/scaler/notShown").asText()).contains("NullPointerException");
        assertThat(read(board).at("/scaler/failedRounds").asInt()).isZero();
        assertThat(read(board).at("/pools")).hasSize(1);
        board.show(new ClusterStatus("2026-01-01T12:00:00Z", List.of(), List.of(), List.of(), List.of()));
        assertThat(read(board).at("/scaler").has("notShown")).isFalse();
    }

    @Test
    void whatIsNotSeenIsNoPartOfAHistory() throws IOException {
        var clock = new MovedClock();
        var board = Scenes.board(clock);
        board.show(new ClusterStatus(
                "2026-01-01T12:00:00Z", List.of(priceless("a", 3, 1)), List.of(), List.of(), List.of()));
        clock.move(Duration.ofHours(1));
        var status = read(board);
        assertThat(status.at("/totals")).hasSize(2);
        assertThat(status.at("/totals/0/2").asInt()).isEqualTo(3);
        assertThat(status.at("/totals/1/0").asLong() - status.at("/totals/0/0").asLong())
                .isEqualTo(1800);
        for (int member = 1; member <= 3; member++) {
            assertThat(status.at("/totals/1/" + member).isNull()).isTrue();
            assertThat(status.at("/pools/0/history/1/" + member).isNull()).isTrue();
        }
    }

    @Test
    void machinesWithoutAPriceAreCountedBesideTheSum() throws IOException {
        var board = Scenes.board(new MovedClock());
        board.show(new ClusterStatus(
                "2026-01-01T12:00:00Z",
                List.of(priceless("coming", 0, 2), priceless("empty", 0, 0), priceless("going", 1, 0)),
                List.of(
                        new MachineLine("n1", "going", "busy", "", 1, null, List.of()),
                        new MachineLine("n2", "going", "draining", "", 1, null, List.of())),
                List.of(),
                List.of()));
        var cost = read(board).at("/cost");
        assertThat(cost.at("/withoutPrice").toString()).isEqualTo("[\"coming\",\"going\"]");
        assertThat(cost.at("/machinesWithoutPrice").asInt()).isEqualTo(4);
    }

    private static PoolLine priceless(String name, int ready, int upcoming) {
        return new PoolLine(name, "spot", 0, 10, ready + upcoming, ready, upcoming, 0, null, null, null, null);
    }

    @Test
    void whatIsNotKnownIsAbsentAndNeverZero() throws IOException {
        var pool = read(Scenes.silent()).at("/pools/0");
        assertThat(pool.has("target")).isFalse();
        assertThat(pool.has("costPerHour")).isFalse();
        assertThat(pool.at("/history/0/1").isNull()).isTrue();
        assertThat(read(Scenes.board(new MovedClock())).has("asOf")).isFalse();
    }

    private static JsonNode read(StatusPageState board) throws IOException {
        return JSON.readTree(board.statusJson());
    }
}
