package dev.trainyard.workshop.demo;

import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.binaries.ProgressListener;
import dev.trainyard.workshop.cluster.ChosenCloud;
import dev.trainyard.workshop.cluster.TestCluster;
import dev.trainyard.workshop.cluster.TestClusterOptions;
import dev.trainyard.workshop.demo.DemoReport.Event;
import dev.trainyard.workshop.demo.DemoReport.Played;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A runner of scenarios on a real control plane or in a simulated cluster. Reports events as they happen. */
public final class Demo {

    private static final Duration JOB = Duration.ofSeconds(4);
    private static final Duration JOB_WHEN_KEPT = Duration.ofSeconds(20);

    private final DemoOptions options;
    private final PrintStream out;

    /** @param out the stream for progress and events; the caller prints the {@link DemoReport} */
    public Demo(DemoOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /**
     * Runs the scenarios on a real control plane. With {@link DemoOptions#keep()}, the control plane then stays until the process ends.
     *
     * @throws dev.trainyard.local.binaries.BinariesUnavailableException if no control plane is available
     */
    public DemoReport run() {
        try (var screen = new Screen(out, options.terminal())) {
            screen.heading("Trainyard on a real Kubernetes %s, on this machine".formatted(options.version()));
            screen.line("API server, schedulers, controllers and kubectl are real. %s."
                    .formatted(simulated(options.cloud())));
            screen.line(timesOf(jobDuration()));
            var testCluster = TestCluster.start(yardOptions(), progress(screen));
            boolean ok = false;
            try {
                screen.live();
                var report = play(new TestClusterVenue(testCluster, options.cloud()), screen);
                if (options.keep()) {
                    keep(testCluster, screen);
                }
                ok = report.ok() || !options.without().isEmpty();
                return report;
            } finally {
                close(testCluster, ok);
            }
        }
    }

    /**
     * Runs the scenarios in a simulated cluster.
     *
     * @param whyNotReal why no control plane is available; empty if the user asked for a simulation
     */
    public DemoReport simulate(Optional<String> whyNotReal) {
        try (var screen = new Screen(out, options.terminal())) {
            whyNotReal.ifPresent(why -> {
                screen.heading("No real Kubernetes %s is available on this machine:".formatted(options.version()));
                screen.output(why);
                screen.line("The demo is therefore simulated. With --kubernetes %s the demo fails instead."
                        .formatted(options.version().minor()));
            });
            screen.heading("Trainyard on a simulated Kubernetes, in virtual time");
            screen.line(
                    "Webhook, extender and scaler decide as they do in a cluster. API server, scheduler, controllers,");
            screen.line("kubelets and cloud are models (docs/simulating.md). A real cluster takes the same commands.");
            screen.line(timesOf(JOB));
            return play(new SimulatedVenue(options.without(), JOB), screen);
        }
    }

    private static String timesOf(Duration job) {
        return "Time is compressed: most machines boot in 3 s, drivers take 2 s, trainings take %d s, most idle machines are removed after 5 s."
                .formatted(job.toSeconds());
    }

    private static String simulated(ChosenCloud cloud) {
        return switch (cloud) {
            case KWOK -> "Kubelets and the cloud are simulated (kwok)";
            case AWS -> "The scaler's AWS SDK is real, too; AWS is emulated, kubelets are simulated (kwok)";
            case AZURE -> "The scaler's Azure SDK is real, too; Azure is emulated, kubelets are simulated (kwok)";
        };
    }

    private static void close(TestCluster testCluster, boolean ok) {
        if (ok) {
            testCluster.close();
        } else {
            testCluster.closeKeepingLogs();
        }
    }

    private DemoReport play(Venue venue, Screen screen) {
        var applied = venue.apply(List.of("manifests/examples/pools.yaml", "manifests/examples/tiers.yaml"));
        if (!applied.ok()) {
            throw new IllegalStateException("%s failed:%n%s".formatted(applied.command(), applied.output()));
        }
        var timeline = new Timeline(venue.clock(), screen::happening);
        var observer = new Observer(timeline);
        var played = new ArrayList<Played>();
        var watching = venue.watchedBy(observer);
        try {
            var stage = new Stage(venue, observer, timeline, screen, options.timeout());
            for (var scenario : options.scenarios()) {
                screen.heading("%d/%d %s: %s"
                        .formatted(played.size() + 1, options.scenarios().size(), scenario.name(), scenario.title()));
                played.add(play(scenario, stage, timeline, screen));
            }
        } finally {
            watching.end();
        }
        var report = DemoReport.of(venue.kubernetes(), options.cloud(), played);
        if (!played.isEmpty()) {
            screen.heading(report.ok() ? "All scenarios succeeded." : "Not all scenarios succeeded.");
            screen.line(report.table());
        }
        return report;
    }

    private static Played play(DemoScenario scenario, Stage stage, Timeline timeline, Screen screen) {
        var start = timeline.now();
        String result;
        boolean ok;
        try {
            result = scenario.play(stage);
            ok = true;
        } catch (ExpectationException e) {
            result = String.valueOf(e.getMessage());
            ok = false;
        }
        screen.line((ok ? "  ok: " : "  FAILED: ") + result);
        var events = timeline.since(start).stream().map(Event::of).toList();
        return new Played(
                scenario.name(), ok, timeline.now().minus(start).toMillis() / 1000.0, result, List.copyOf(events));
    }

    private void keep(TestCluster testCluster, Screen screen) {
        screen.heading("The cluster keeps running. In another terminal, run:");
        screen.line(
                "  export KUBECONFIG='%s'".formatted(testCluster.controlPlane().kubeconfig()));
        screen.line("  alias kubectl='%s'".formatted(testCluster.controlPlane().kubectl()));
        screen.line("  kubectl create -f '%s'".formatted(testCluster.manifests().resolve("examples/tftrain.yaml")));
        screen.line("  kubectl get pods,nodes,trainingpools --watch   # or: kubectl describe pod tftrain-...");
        screen.line("Logs: " + testCluster.controlPlane().logs());
        screen.line("Ctrl-C stops the cluster and removes everything.");
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private TestClusterOptions yardOptions() {
        return TestClusterOptions.defaults()
                .withControlPlane(ControlPlaneOptions.defaults()
                        .withVersion(options.version())
                        .withJobDuration(jobDuration()))
                .without(options.without())
                .withCloud(options.cloud());
    }

    private Duration jobDuration() {
        return options.keep() ? JOB_WHEN_KEPT : JOB;
    }

    private static ProgressListener progress(Screen screen) {
        return new ProgressListener() {
            @Override
            public void step(String what) {
                screen.line("  " + what + " ...");
            }

            @Override
            public void still(String what) {
                screen.waitingFor(what);
            }
        };
    }

    /** Returns the names of all scenarios, in order. */
    public static List<String> scenarioNames() {
        return Scenarios.ALL.stream().map(DemoScenario::name).toList();
    }
}
