package dev.trainyard.scaler.page;

import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.BackOffLine;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** Example contents of a status page. Each scene is the same on every run. */
final class Scenes {

    static final String IDENTITY = "trainyard-scaler-6c9f7d5b8-x2k4p";

    private static final String[] HOSTILE = {
        "<img src=x onerror=hacked=1>", "\"><script>hacked=1</script>", "' onmouseover='hacked=1", "</title><b>bold</b>"
    };

    private Scenes() {}

    static StatusPageState board(MovedClock clock) {
        return new StatusPageState(IDENTITY, false, Optional::empty, Duration.ofMinutes(10), clock);
    }

    /** A scaler that leads, in a cluster without a pool. */
    static StatusPageState empty() {
        var board = board(new MovedClock());
        board.leads(IDENTITY);
        board.show(new ClusterStatus("2026-01-01T12:00:00Z", List.of(), List.of(), List.of(), List.of()));
        return board;
    }

    static StatusPageState onlyLooks() {
        return new StatusPageState(IDENTITY, true, Optional::empty, Duration.ofMinutes(10), new MovedClock());
    }

    /** Readings with gaps between them, and two pools. One pool has no price. */
    static StatusPageState unseenForAWhile() {
        var clock = new MovedClock();
        var board = board(clock);
        board.leads(IDENTITY);
        var pools = List.of(
                pool("light-spot", 4, 0.61, 2, 2, 0),
                new PoolLine("lent", "on-demand", 0, 4, 3, 3, 0, 0, null, null, null, null));
        for (int round = 0; round < 3; round++) {
            board.show(new ClusterStatus(clock.instant().toString(), pools, machines(pools), List.of(), List.of()));
            clock.move(Duration.ofMinutes(90));
        }
        return board;
    }

    static StatusPageState standsBy() {
        var board = board(new MovedClock());
        board.leads("trainyard-scaler-6c9f7d5b8-q8zzw");
        return board;
    }

    /** A pool whose cloud does not answer. */
    static StatusPageState silent() {
        var board = board(new MovedClock());
        board.leads(IDENTITY);
        board.show(new ClusterStatus(
                "2026-01-01T12:00:00Z",
                List.of(unread("light-spot", "auth: the client secret has expired")),
                List.of(),
                List.of(),
                List.of()));
        return board;
    }

    /** A pool that backs off, a pool whose cloud stopped answering, and a decision that was made twice. */
    static StatusPageState silentAfterWork() {
        var clock = new MovedClock();
        var board = board(clock);
        board.leads(IDENTITY);
        for (int ready = 0; ready < 3; ready++) {
            var pools = List.of(pool("light-spot", 4, 0.61, 2, ready, 1));
            board.show(new ClusterStatus(clock.instant().toString(), pools, machines(pools), List.of(), List.of()));
            clock.move(Duration.ofMinutes(1));
        }
        board.told("TrainingPool", "light-spot", false, "ScaleUp", "pool light-spot grows from 0 to 2 machines");
        board.told("TrainingPool", "light-spot", false, "ScaleUp", "pool light-spot grows from 0 to 2 machines");
        var pools = List.of(
                new PoolLine(
                        "heavy-spot",
                        "spot",
                        0,
                        2,
                        0,
                        0,
                        0,
                        0,
                        "0.00",
                        new BackOffLine("spot-capacity", "none left", "2026-01-01T12:05:00Z", 120),
                        null,
                        null),
                unread("light-spot", "auth: the client secret has expired"));
        var waiting = List.of(new WaitingLine("team/a", 70, "pool heavy-spot backs off", "backed-off", "0f7c2d1e-uid"));
        board.show(new ClusterStatus(
                clock.instant().toString(), pools, machines(pools), waiting, List.of("TrainingPool x: no promise")));
        return board;
    }

    /** Texts that attack the page with HTML, from authors of pods and nodes, and from clouds. */
    static StatusPageState hostile() {
        var board = board(new MovedClock());
        board.leads(HOSTILE[0]);
        board.leads(IDENTITY);
        var text = String.join(" ", HOSTILE);
        var pools = List.of(
                new PoolLine(
                        HOSTILE[0],
                        HOSTILE[1],
                        0,
                        5,
                        3,
                        1,
                        2,
                        0,
                        "1.00",
                        new BackOffLine(HOSTILE[1], text, "2026-01-01T12:05:00Z", 300),
                        null,
                        null),
                unread(HOSTILE[1], text));
        board.show(new ClusterStatus(
                "2026-01-01T12:00:00Z",
                pools,
                List.of(new MachineLine(HOSTILE[0], HOSTILE[0], HOSTILE[3], text, 100, null, List.of(text))),
                List.of(new WaitingLine("team/" + HOSTILE[0], 61, text, HOSTILE[2], HOSTILE[1])),
                List.of(text)));
        board.told("TrainingPool", HOSTILE[1], true, HOSTILE[0], text);
        board.failed(text);
        return board;
    }

    /** A day in a cluster with eight pools, some of them in trouble. */
    static StatusPageState busy() {
        var clock = new MovedClock();
        var board = board(clock);
        board.leads(IDENTITY);
        var random = new Random(7);
        var names = List.of(
                "a100-reserved",
                "a100-spot",
                "cpu-preprocessing",
                "heavy-ondemand",
                "heavy-spot",
                "light-ondemand",
                "light-spot",
                "t4-spot");
        int[] most = {8, 8, 60, 16, 24, 40, 40, 20};
        double[] prices = {27.20, 9.80, 0.38, 12.24, 3.67, 3.06, 0.92, 0.16};
        int[] targets = new int[names.size()];
        int[] ready = new int[names.size()];
        for (int round = 0; round <= 22 * 60; round += 10) {
            for (int i = 0; i < names.size(); i++) {
                ready[i] = targets[i];
                boolean turns = random.nextInt(6) == 0;
                double wish = most[i] * (0.45 + 0.45 * Math.sin(round / 190.0 + i * 1.7));
                targets[i] = i == 0 ? 4 : turns ? (int) Math.max(0, Math.min(most[i], wish)) : targets[i];
            }
            boolean last = round == 22 * 60;
            if (last) {
                targets[6] = Math.min(most[6], ready[6] + 9);
                targets[4] = most[4];
                ready[4] = most[4];
            }
            var pools = new ArrayList<PoolLine>();
            for (int i = 0; i < names.size(); i++) {
                pools.add(pool(names.get(i), most[i], prices[i], targets[i], Math.min(targets[i], ready[i]), i));
            }
            if (last) {
                trouble(pools);
            } else if (round >= 640 && round < 800) {
                pools.set(4, unread(pools.get(4).name(), "unreachable: connection refused"));
            }
            var waiting = last ? waitingPods() : waitingPods().subList(0, Math.max(0, random.nextInt(50) - 30));
            board.show(new ClusterStatus(clock.instant().toString(), pools, machines(pools), waiting, List.of()));
            if (!last) {
                decide(board, round, random);
                clock.move(Duration.ofMinutes(10));
            }
        }
        board.told(
                "TrainingPool",
                "a100-spot",
                true,
                "BackOff",
                "pool a100-spot backs off until 10:05:23 after 2 failures in a row: spot-capacity: SkuNotAvailable");
        board.told(
                "TrainingPool",
                "light-spot",
                false,
                "ScaleUp",
                "pool light-spot grows by 9 machines for tier light-gpu; a machine that is not usable within 15m is given up");
        return board;
    }

    /** A cluster with many nodes and pools and a long history, which the page must still show without delay. */
    static StatusPageState large(int nodes, int poolCount) {
        var clock = new MovedClock();
        var board = board(clock);
        board.leads(IDENTITY);
        var random = new Random(5);
        for (int round = 0; round < 400; round++) {
            var pools = new ArrayList<PoolLine>();
            for (int i = 0; i < poolCount; i++) {
                int ready = nodes / poolCount - random.nextInt(5);
                pools.add(pool(
                        "pool-%02d-with-a-usual-name".formatted(i), 200, 1.25, ready + random.nextInt(9), ready, i));
            }
            boolean last = round == 399;
            var waiting = IntStream.range(0, last ? 3000 : random.nextInt(30))
                    .mapToObj(i -> new WaitingLine(
                            "team/resnet-worker-" + i,
                            4000 - i,
                            "a machine of pool pool-01 is provisioning",
                            "upcoming",
                            "uid-" + i))
                    .toList();
            board.show(new ClusterStatus(
                    clock.instant().toString(), pools, last ? machines(pools) : List.of(), waiting, List.of()));
            for (int i = 0; i < 3; i++) {
                board.told("Node", "node-" + round + "-" + i, false, "Removing", "idle for 10m, and nobody needs it");
            }
            clock.move(Duration.ofMinutes(2));
        }
        return board;
    }

    private static PoolLine pool(String name, int most, double price, int target, int ready, int i) {
        var cost = BigDecimal.valueOf(price).multiply(BigDecimal.valueOf(ready)).toPlainString();
        return new PoolLine(
                name,
                name.contains("spot") ? "spot" : "on-demand",
                0,
                most,
                target,
                ready,
                Math.max(0, target - ready),
                Math.min(ready, i % 3),
                cost,
                null,
                null,
                null);
    }

    private static PoolLine unread(String name, String problem) {
        return new PoolLine(name, "on-demand", 0, 60, null, 3, null, 0, null, null, problem, null);
    }

    private static void trouble(List<PoolLine> pools) {
        var spot = pools.get(1);
        pools.set(
                1,
                new PoolLine(
                        spot.name(),
                        spot.capacityType(),
                        0,
                        spot.max(),
                        spot.ready(),
                        spot.ready(),
                        0,
                        0,
                        spot.costPerHour(),
                        new BackOffLine(
                                "spot-capacity",
                                "SkuNotAvailable: the requested size is currently not available in location westeurope",
                                "2026-01-02T10:03:23Z",
                                203),
                        null,
                        null));
        pools.set(2, unread("cpu-preprocessing", "auth: AADSTS7000222: the provided client secret keys are expired"));
    }

    private static List<WaitingLine> waitingPods() {
        var pods = new ArrayList<WaitingLine>();
        add(
                pods,
                5,
                3960,
                "bert",
                "at-maximum",
                "pool heavy-spot is at its maximum of 24, pool heavy-ondemand at its of 16");
        add(pods, 1, 1500, "dlrm", "fits-no-pool", "it asks for 16 nvidia.com/gpu, machines of pool heavy-spot have 8");
        add(pods, 9, 180, "resnet", "upcoming", "a machine of pool light-spot is provisioning");
        add(pods, 5, 15, "gpt", "growing", "a machine of pool light-spot is requested");
        return pods;
    }

    private static void add(
            List<WaitingLine> pods, int count, long seconds, String job, String outcome, String reason) {
        for (int i = 0; i < count; i++) {
            pods.add(new WaitingLine(
                    "team-vision/train-%s-worker-%d".formatted(job, i),
                    seconds - i,
                    reason,
                    outcome,
                    "uid-" + job + i));
        }
    }

    private static List<MachineLine> machines(List<PoolLine> pools) {
        var machines = new ArrayList<MachineLine>();
        for (var pool : pools) {
            for (int i = 0; i < pool.ready(); i++) {
                boolean idle = i < pool.idle();
                machines.add(new MachineLine(
                        "%s-%04d".formatted(pool.name(), i),
                        pool.name(),
                        idle ? "grace-period" : "busy",
                        idle ? "idle for 4m, goes after 10m" : "1 pod uses 90 % of the node",
                        7200 + i,
                        idle ? 240L : null,
                        idle ? List.of() : List.of("team-vision/train-" + i)));
            }
        }
        return machines;
    }

    private static void decide(StatusPageState board, int round, Random random) {
        if (random.nextInt(7) == 0) {
            board.told(
                    "Node",
                    "light-spot-%04d".formatted(round),
                    false,
                    "Draining",
                    "little used (12 %): all that is on it fits on machines that stay");
        }
    }
}
