package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Standing.BackOffLine;
import dev.trainyard.scaler.offline.Standing.MachineLine;
import dev.trainyard.scaler.offline.Standing.PoolLine;
import dev.trainyard.scaler.offline.Standing.WaitingLine;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingTextTest {

    @Test
    void isThreeTables() {
        var standing = new Standing(
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
                                "auth: no such role"),
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
                                null)),
                List.of(
                        new MachineLine(
                                "light-spot-0001",
                                "light-spot",
                                "busy",
                                "1 pods use 90 % of it",
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
                        "team/train-9", 720, "a machine of pool light-spot is on its way", "upcoming", "uid-9")),
                List.of("TrainingPool odd: spec.max must not be less than spec.min"));
        assertThat(StandingText.of(standing)).isEqualTo("""
                POOL            TYPE       MIN  MAX  TARGET  READY  UPCOMING  IDLE  COST/H  BACK-OFF OR PROBLEM
                heavy-ondemand  on-demand  0    10   ?       1      ?         0     -       cannot be read: auth: no such role
                light-spot      spot       0    100  3       2      1         1     1.83    42s left: spot-capacity: no capacity

                MACHINE          POOL        STATE         AGE   IDLE  PODS              REASON
                light-spot-0001  light-spot  busy          5d    -     team/a,team/b,+2  1 pods use 90 % of it
                light-spot-0002  light-spot  grace-period  3h3m  90s   -                 idle for 1m30s

                WAITING POD   FOR  REASON
                team/train-9  12m  a machine of pool light-spot is on its way

                Problems:
                  TrainingPool odd: spec.max must not be less than spec.min
                """);
    }

    @Test
    void saysThatThereIsNothing() {
        assertThat(StandingText.of(new Standing("2026-01-01T12:00:00Z", List.of(), List.of(), List.of(), List.of())))
                .isEqualTo("There is no TrainingPool that can be used.\n\nNo pod waits for room.\n");
    }
}
