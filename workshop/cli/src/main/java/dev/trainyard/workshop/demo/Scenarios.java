package dev.trainyard.workshop.demo;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The scenarios of the demo, in order. */
final class Scenarios {

    static final List<DemoScenario> ALL =
            List.of(new Spot(), new Fallback(), new Burst(), new Tiers(), new Reclaim(), new Gangs());

    private Scenarios() {}

    /** A plain job that runs on a spot machine, which is then removed. */
    private record Spot() implements DemoScenario {
        @Override
        public String name() {
            return "spot";
        }

        @Override
        public String title() {
            return "a plain TensorFlow job gets a spot machine, runs, and the machine is removed";
        }

        @Override
        public String play(Stage stage) {
            stage.createNamespace("demo-spot");
            var trainings = new Trainings(stage, "demo-spot", 1);
            stage.create("demo-spot", "manifests/examples/tftrain.yaml");
            trainings.expectCompletedByWebhook();
            trainings.expectRefusedByScheduler();
            trainings.expectRunningOn(Map.of("light-spot", 1));
            trainings.letStatusFollow("light-spot", 1);
            stage.showPools();
            trainings.checkExtenderWasAsked();
            trainings.expectDone();
            trainings.expectMachinesGone("light-spot");
            trainings.checkNeverGrew("light-ondemand");
            return "the training ran on a machine of light-spot; light-ondemand never grew; no machine remains";
        }
    }

    /** A stock-out of spot machines. */
    private record Fallback() implements DemoScenario {
        @Override
        public String name() {
            return "fallback";
        }

        @Override
        public String title() {
            return "the cloud has no spot machines: on-demand takes over";
        }

        @Override
        public String play(Stage stage) {
            stage.apply("manifests/demo/stock-out.yaml");
            var trainings = new Trainings(stage, "demo-fallback", 1);
            stage.create("demo-fallback", "manifests/examples/tftrain.yaml");
            trainings.expectCompletedByWebhook();
            stage.expect(
                    "the scaler asks pool scarce-spot first, and the pool backs off because the cloud has no machines",
                    () -> {
                        var status = stage.pool("scarce-spot").getStatus();
                        return status != null && status.backOff() != null
                                ? Optional.empty()
                                : Optional.of("pool scarce-spot has no back-off; its status is " + status);
                    });
            trainings.expectRunningOn(Map.of("scarce-ondemand", 1));
            trainings.letStatusFollow("scarce-ondemand", 1);
            stage.showPools("scarce-spot", "scarce-ondemand");
            trainings.checkExtenderWasAsked();
            trainings.expectDone();
            trainings.expectMachinesGone("scarce-spot", "scarce-ondemand");
            return "scarce-spot, asked first, backed off; the training ran on scarce-ondemand; no machine remains";
        }
    }

    /** A burst of 40 pods for 40 machines. On a busy host, pods are created slowly, and the pool grows in several steps. */
    private record Burst() implements DemoScenario {
        private static final int PODS = 40;

        @Override
        public String name() {
            return "burst";
        }

        @Override
        public String title() {
            return "40 one-GPU pods at once get 40 machines, each requested once; then all machines are removed";
        }

        @Override
        public String play(Stage stage) {
            stage.createNamespace("demo-burst");
            var trainings = new Trainings(stage, "demo-burst", PODS);
            var before = stage.observer().growth("light-spot");
            stage.create("demo-burst", "manifests/examples/burst.yaml");
            trainings.expectCompletedByWebhook();
            trainings.expectRunningOn(Map.of("light-spot", PODS));
            trainings.letStatusFollow("light-spot", PODS);
            stage.showPools("light-spot");
            trainings.checkExtenderWasAsked();
            trainings.expectDone();
            trainings.expectMachinesGone("light-spot");
            var growth = stage.observer().growth("light-spot").since(before);
            var excess = growth.excess(PODS);
            stage.check(
                    "pool light-spot gets one machine for each pod, and no more", excess.isEmpty(), excess.orElse(""));
            return "%d machines of light-spot, each requested once, %s; 40 trainings done; no machine left"
                    .formatted(
                            growth.requested(),
                            growth.steps() == 1 ? "in one resize" : "in %d resizes".formatted(growth.steps()));
        }
    }

    /** Three kinds of training, each on its own kind of machine. */
    private record Tiers() implements DemoScenario {
        @Override
        public String name() {
            return "tiers";
        }

        @Override
        public String title() {
            return "CPU, light and heavy trainings each get their own kind of machine";
        }

        @Override
        public String play(Stage stage) {
            stage.createNamespace("demo-tiers");
            var trainings = new Trainings(stage, "demo-tiers", 3);
            stage.create("demo-tiers", "manifests/examples/three-tiers.yaml");
            trainings.expectCompletedByWebhook();
            trainings.expectRunningOn(Map.of("cpu", 1, "light-spot", 1, "heavy-spot", 1));
            trainings.letStatusFollow("heavy-spot", 1);
            stage.showPools();
            trainings.checkExtenderWasAsked();
            trainings.expectDone();
            trainings.expectMachinesGone("cpu", "light-spot", "heavy-spot");
            trainings.checkNeverGrew("heavy-ondemand");
            return "one training ran on each of cpu, light-spot and heavy-spot; no machine remains";
        }
    }

    /**
     * The announced reclaim of the machine of a running training, and the return of the training to a spot machine. The scaler terminates the
     * first machine itself once the pod has ended, which is before the announced time. Then the spot pool, which has at most one machine, has
     * room again. The scenario does not wait until the last spot machine is removed, which shows nothing new.
     */
    private record Reclaim() implements DemoScenario {
        @Override
        public String name() {
            return "reclaim";
        }

        @Override
        public String title() {
            return "the cloud announces the reclaim of a spot machine: an on-demand machine replaces it, until the training returns to spot";
        }

        @Override
        public String play(Stage stage) {
            stage.apply("manifests/demo/reclaim.yaml");
            stage.showPools("reclaim-spot", "reclaim-ondemand");
            var trainings = new Trainings(stage, "demo-reclaim", 1);
            stage.create("demo-reclaim", "manifests/demo/resumed-training.yaml");
            trainings.expectCompletedByWebhook();
            trainings.expectRunningOn(Map.of("reclaim-spot", 1));
            var first = trainings.running();
            stage.announceReclaim(first.getSpec().getNodeName());
            var replaced = trainings.expectRequestBeforeEviction(first, "Fallback", "reclaim-ondemand");
            stage.explain("The Job controller creates the pod again 10 s after the eviction, or later.");
            trainings.expectMachinesGone("reclaim-spot");
            trainings.expectRunningOn(Map.of("reclaim-ondemand", 1));
            stage.explain(
                    "Pool reclaim-spot has room again. The pod returns once a machine there is usable and has all its labels.");
            var returned = trainings.expectRequestBeforeEviction(trainings.running(), "ScaleUp", "reclaim-spot");
            stage.explain(
                    "The Job controller now waits for 20 s. The empty machine stays for a minute, in case the pod finds no place.");
            trainings.expectRunningOn(Map.of("reclaim-spot", 1));
            trainings.letStatusFollow("reclaim-spot", 1);
            stage.showPools("reclaim-spot", "reclaim-ondemand");
            trainings.checkExtenderWasAsked();
            trainings.expectDone();
            trainings.checkNoFailures();
            trainings.expectMachinesGone("reclaim-ondemand");
            trainings.checkMachines(Map.of("reclaim-spot", 2, "reclaim-ondemand", 1));
            return "%s; the pod returned to spot: %s; the Job completed and counts no failure; no on-demand machine remains"
                    .formatted(replaced, returned);
        }
    }

    /** Two gangs with room for one and a half. The gang that does not start first has no pod with a node until it has room for all. */
    private record Gangs() implements DemoScenario {
        private static final int SIZE = 8;
        private static final int ROOM = 12;

        @Override
        public String name() {
            return "gangs";
        }

        @Override
        public String title() {
            return "two gangs of 8 pods, and at most 12 machines: one gang starts whole, then the other";
        }

        @Override
        public String play(Stage stage) {
            stage.apply("manifests/demo/gangs.yaml");
            var trainings = new Trainings(stage, "demo-gangs", 2 * SIZE);
            var gangs = new GangTrainings(stage, "demo-gangs", SIZE);
            stage.create("demo-gangs", "manifests/demo/two-gangs.yaml");
            trainings.expectCompletedByWebhook();
            var first = gangs.expectOneStarts("pretrain", "finetune");
            var second = first.equals("pretrain") ? "finetune" : "pretrain";
            stage.explain("All pods of %s have nodes. A pod of %s, which waits for room for all its pods:"
                    .formatted(first, second));
            var held = gangs.checkHeld(second);
            stage.showPools("gang-gpu");
            stage.showEvents("demo-gangs", held);
            gangs.expectOneStarts(second);
            trainings.checkExtenderWasAsked();
            trainings.expectDone();
            stage.showEvents("demo-gangs", held);
            gangs.checkStartedWhole(first);
            gangs.checkStartedWhole(second);
            gangs.checkStartedAfterOthers(second);
            trainings.expectMachinesGone("gang-gpu");
            trainings.checkMachines(Map.of("gang-gpu", ROOM));
            return "%s, and after it had completed, %s; %d machines were requested for 16 pods; no machine remains"
                    .formatted(
                            gangs.start(first),
                            gangs.start(second),
                            stage.observer().growth("gang-gpu").requested());
        }
    }
}
