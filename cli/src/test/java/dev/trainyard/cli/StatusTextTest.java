package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.BackOffLine;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.ReclaimedLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusTextTest {

    @Test
    void isThreeTables() {
        var standing = new ClusterStatus(
                "2026-01-01T12:00:00Z",
                List.of(
                        new PoolLine(
                                "heavy-ondemand",
                                "on-demand",
                                0,
                                10,
                                null,
                                1,
                                null,
                                0,
                                null,
                                null,
                                "auth: no such role",
                                null),
                        new PoolLine(
                                "light-spot",
                                "spot",
                                0,
                                100,
                                3,
                                2,
                                1,
                                1,
                                "1.83",
                                new BackOffLine("spot-capacity", "no capacity", "2026-01-01T12:00:42Z", 42),
                                null,
                                0.045)),
                List.of(
                        new MachineLine(
                                "light-spot-0001",
                                "light-spot",
                                "busy",
                                "1 pod uses 90 % of the node",
                                432_000,
                                null,
                                List.of("team/a", "team/b", "team/c", "team/d")),
                        new MachineLine(
                                "light-spot-0002",
                                "light-spot",
                                "grace-period",
                                "idle for 1m30s",
                                11_000,
                                90L,
                                List.of())),
                List.of(new WaitingLine(
                        "team/train-9", 720, "a machine of pool light-spot is provisioning", "upcoming", "uid-9")),
                List.of("TrainingPool odd: spec.max must not be less than spec.min"));
        assertThat(StatusText.of(standing)).isEqualTo("""
                POOL            TYPE       MIN  MAX  TARGET  READY  UPCOMING  IDLE  COST/H  LOST TIME  BACK-OFF OR PROBLEM
                heavy-ondemand  on-demand  0    10   ?       1      ?         0     -       -          cannot be read: auth: no such role
                light-spot      spot       0    100  3       2      1         1     1.83    4.5 %      42s left: spot-capacity: no capacity

                Cost: 1.83 an hour; excluded, because they cannot be read: heavy-ondemand

                MACHINE          POOL        STATE         AGE   IDLE  PODS              REASON
                light-spot-0001  light-spot  busy          5d    -     team/a,team/b,+2  1 pod uses 90 % of the node
                light-spot-0002  light-spot  grace-period  3h3m  90s   -                 idle for 1m30s

                PENDING POD   FOR  REASON
                team/train-9  12m  a machine of pool light-spot is provisioning

                Problems:
                  TrainingPool odd: spec.max must not be less than spec.min
                """);
    }

    @Test
    void listsJobsThatLostPodsToReclaims() {
        var standing = new ClusterStatus("2026-01-01T12:00:00Z", List.of(), List.of(), List.of(), List.of())
                .withReclaimed(
                        List.of(new ReclaimedLine("heavy", "Job", "team/train", 3, 5400, "2026-01-01T11:00:00Z")));

        assertThat(StatusText.of(standing)).endsWith("""

                RECLAIMED JOB  KIND  TIER   PODS LOST  GPU HOURS LOST  LAST
                team/train     Job   heavy  3          1.5             2026-01-01T11:00:00Z
                """);
    }

    @Test
    void saysWhatHasNoPriceBesideTheSum() {
        var standing = new ClusterStatus(
                "2026-01-01T12:00:00Z",
                List.of(pool("a", 2, null), pool("b", 0, null), pool("c", 1, "0.50"), pool("d", 3, null)),
                List.of(),
                List.of(),
                List.of());
        assertThat(StatusText.of(standing))
                .contains("\nCost: 0.50 an hour; excluded: 5 machines of pools without a price: a, d\n");
        assertThat(StatusText.of(new ClusterStatus("", List.of(pool("a", 1, null)), List.of(), List.of(), List.of())))
                .contains("\nCost: not known; excluded: 1 machine of pools without a price: a\n");
    }

    @Test
    void whatACloudSaysCommandsNothingToATerminal() {
        var pool = new PoolLine("a", "spot", 0, 9, null, 0, null, 0, null, null, "no\033[2J\u009b2J\r\nway", null);
        var text = StatusText.of(
                new ClusterStatus("", List.of(pool), List.of(), List.of(), List.of("no\033[2J\u009b2J\r\nway")));
        assertThat(text.lines())
                .filteredOn(line -> line.contains("way"))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).endsWith("no [2J 2J  way"));
    }

    @Test
    void onAScreenWhatIsStuckComesFirstAndNothingScrolls() {
        var pools = new ArrayList<PoolLine>();
        var machines = new ArrayList<MachineLine>();
        var waiting = new ArrayList<WaitingLine>();
        for (int i = 0; i < 50; i++) {
            pools.add(
                    i == 49
                            ? new PoolLine("p49", "spot", 0, 9, null, 0, null, 0, null, null, "auth: expired", null)
                            : pool("p" + i, 1, "1.00"));
            machines.add(
                    new MachineLine("m" + i, "p" + i, i == 48 ? "dead" : "busy", "x".repeat(200), 60, null, List.of()));
            waiting.add(new WaitingLine("team/w" + i, 600 - i, "why", i == 47 ? "fits-no-pool" : "upcoming", "u" + i));
        }
        var standing = new ClusterStatus("2026-01-01T12:00:00Z", pools, machines, waiting, List.of());
        var text = StatusText.of(standing, new Terminal.Size(24, 80));
        var lines = text.lines().toList();
        assertThat(lines)
                .hasSize(23)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(text).endsWith("\n");
        assertThat(lines.get(0)).isEqualTo("Cost: 49.00 an hour; excluded, because they cannot be read: p49");
        assertThat(lines.get(2)).startsWith("POOL");
        assertThat(lines.get(3)).startsWith("p49 ");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("team/"))
                .first()
                .asString()
                .startsWith("team/w47 ");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("m"))
                .first()
                .asString()
                .startsWith("m48 ")
                .endsWith("x...");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("... "))
                .containsExactly("... 45 more pools", "... 46 more pending pods", "... 46 more machines");
    }

    private static PoolLine pool(String name, int ready, String cost) {
        return new PoolLine(name, "spot", 0, 9, ready, ready, 0, 0, cost, null, null, null);
    }

    @Test
    void saysThatThereIsNothing() {
        assertThat(StatusText.of(new ClusterStatus("2026-01-01T12:00:00Z", List.of(), List.of(), List.of(), List.of())))
                .isEqualTo("There is no TrainingPool that can be used.\n\nNo pod is pending.\n");
    }
}
