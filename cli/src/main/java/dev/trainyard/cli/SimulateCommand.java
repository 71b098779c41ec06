package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.trainyard.core.Durations;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.CloudHabits;
import dev.trainyard.simulation.Scenario;
import dev.trainyard.simulation.Simulation;
import dev.trainyard.simulation.Variation;
import dev.trainyard.simulation.cluster.GpuShares;
import dev.trainyard.simulation.fault.Fault;
import dev.trainyard.simulation.workload.TraceWorkload;
import dev.trainyard.simulation.workload.TraceWorkload.Sharing;
import dev.trainyard.simulation.workload.Workload;
import dev.trainyard.simulation.workload.YamlWorkload;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trainyard simulate}. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Simulates a workload on pools from files, in virtual time. Reports waiting times of pods, numbers of "
                    + "machines, and costs. Webhook, extender and scaler decide as in a cluster; scheduler, kubelets, "
                    + "controllers and clouds are models. Calls no API. The same seed gives the same output.",
            "Exit codes: 0, the simulation ran; 1, a file is missing or broken; 2, wrong usage."
        })
public final class SimulateCommand implements Callable<Integer> {

    /** The default start of the simulated time, a Monday. */
    private static final String START = "2026-01-05T00:00:00Z";

    /** The format of the report. */
    enum Output {
        TEXT,
        JSON,
        HTML
    }

    @Option(
            names = "--resources",
            paramLabel = "FILE|DIR",
            required = true,
            description =
                    "Files with TrainingPools, TrainingTiers and a TrainingCluster, in YAML or JSON. May be repeated.")
    private List<Path> resources = List.of();

    @Option(
            names = "--workload",
            paramLabel = "FILE",
            required = true,
            description = "The workload. Either Jobs, Deployments, StatefulSets, ReplicaSets and Pods in YAML or JSON, "
                    + "with annotations for arrival and run time; or a trace: a .csv file with the columns name, "
                    + "cpu_milli, memory_mib, num_gpu, gpu_milli, creation_time and deletion_time.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path workload;

    @Option(
            names = "--from",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "The start time within a trace; earlier pods are skipped. Default: ${DEFAULT-VALUE}.")
    private Duration from = Duration.ZERO;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            description =
                    "The simulated time, such as 168h. Default: until all pods have ended and surplus machines are removed, "
                            + "or until nothing changes; at most 744h.")
    private @Nullable Duration length;

    @Option(
            names = "--sharing",
            paramLabel = "whole|part",
            defaultValue = "whole",
            description = "How a pod of a trace that requests a part of a GPU is simulated. whole: with a whole GPU; "
                    + "part: with only that part. Default: ${DEFAULT-VALUE}.")
    private Sharing sharing = Sharing.WHOLE;

    @Option(
            names = "--compare",
            paramLabel = "VARIATION",
            split = ",",
            description = "Also simulate a variation of the configuration, for comparison: " + Variation.KNOWN + ".")
    private List<String> compare = List.of();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The seed of all random decisions. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--boot",
            paramLabel = "DURATION",
            defaultValue = "2m",
            description = "The mean time from the request of a machine until its node joins, unless the pool states a "
                    + "time. Default: ${DEFAULT-VALUE}.")
    private Duration boot = CloudHabits.USUAL.boot();

    @Option(
            names = "--driver",
            paramLabel = "DURATION",
            defaultValue = "2m",
            description = "The time from the joining of a node until it reports its GPUs, unless the pool states a "
                    + "time. Default: ${DEFAULT-VALUE}.")
    private Duration driver = CloudHabits.USUAL.driver();

    @Option(
            names = "--spot-lasts",
            paramLabel = "DURATION",
            description =
                    "The mean time until the cloud reclaims a spot machine. Default: spot machines are never reclaimed.")
    private @Nullable Duration spotLasts;

    @Option(
            names = "--spot-lasts-in",
            paramLabel = "POOL=DURATION",
            description =
                    "The mean time until the cloud reclaims a machine of this spot pool. Default: the time of --spot-lasts. "
                            + "May be repeated.")
    private Map<String, Duration> spotLastsIn = Map.of();

    @Option(
            names = "--spot-notice",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description =
                    "How long before each reclaim of --spot-lasts the cloud announces it, such as 2m. Default: no "
                            + "announcement.")
    private Duration spotNotice = CloudHabits.USUAL.spotNotice();

    @Option(
            names = "--stock",
            paramLabel = "POOL=N",
            description =
                    "The largest number of machines that the cloud has for a pool. Default: unlimited. May be repeated.")
    private Map<String, Integer> stock = Map.of();

    @Option(
            names = "--deadline",
            paramLabel = "PERCENT",
            description = "The time until the deadline of each Job that states none, in percent of its run time, such "
                    + "as 150. All tiers then allow deadlines. Default: no deadline.")
    private @Nullable Integer deadline;

    @Option(
            names = "--slack",
            paramLabel = "DURATION",
            defaultValue = "1h",
            description = "The least time that a Job with --deadline has in addition to its run time. Default: "
                    + "${DEFAULT-VALUE}.")
    private Duration slack = Duration.ofHours(1);

    @Option(
            names = "--restart-cost",
            paramLabel = "DURATION",
            defaultValue = "10m",
            description = "What an interruption costs a Job with --deadline. Default: ${DEFAULT-VALUE}.")
    private Duration restartCost = Duration.ofMinutes(10);

    @Option(
            names = "--faults",
            paramLabel = "FAULT",
            split = ",",
            description =
                    "Faults to inject at random during the whole simulation: ${COMPLETION-CANDIDATES}. Default: none.")
    private List<Fault> faults = List.of();

    @Option(
            names = "--start",
            paramLabel = "TIME",
            defaultValue = START,
            description = "The wall-clock time at the start of the simulation. Default: ${DEFAULT-VALUE}.")
    private Instant start = Instant.parse(START);

    @Option(
            names = "--scan-interval",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Like the scaler's option of the same name. Default: ${DEFAULT-VALUE}.")
    private Duration scanInterval = Duration.ofSeconds(10);

    @Option(
            names = "--batch-window",
            paramLabel = "DURATION",
            defaultValue = "200ms",
            description = "Like the scaler's option of the same name. Default: ${DEFAULT-VALUE}.")
    private Duration batchWindow = Duration.ofMillis(200);

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json|html",
            defaultValue = "text",
            description =
                    "A report for people, one JSON document, or a self-contained page with plots. Default: ${DEFAULT-VALUE}.")
    private Output output = Output.TEXT;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        var scenarios = scenarios();
        // The runs share no state, so running them in parallel does not change their results.
        var outcomes = LogSuppression.during(() -> scenarios.parallelStream()
                .map(scenario -> Simulation.run(scenario, progress(scenario)::passed))
                .toList());
        var out = command.commandLine().getOut();
        out.print(
                switch (output) {
                    case TEXT -> SimulateText.of(outcomes);
                    case HTML -> SimulateHtml.of(outcomes);
                    case JSON ->
                        new ObjectMapper()
                                        .enable(SerializationFeature.INDENT_OUTPUT)
                                        .writeValueAsString(outcomes)
                                + "\n";
                });
        out.flush();
        return 0;
    }

    private List<Scenario> scenarios() {
        mustLast("--scan-interval", scanInterval);
        mustLast("--for", length);
        mustLast("--spot-lasts", spotLasts);
        spotLastsIn.values().forEach(time -> mustLast("--spot-lasts-in", time));
        if (spotLasts == null && spotLastsIn.isEmpty() && !spotNotice.isZero()) {
            throw wrong("--spot-notice", "spot machines are never reclaimed; expected --spot-lasts");
        }
        mustLast("--restart-cost", restartCost);
        if (deadline != null && (deadline < 100 || deadline > 10_000)) {
            throw wrong("--deadline", "'%d' is not a percentage from 100 to 10000".formatted(deadline));
        }
        var documents = new ArrayList<ResourceFiles.Document>();
        resources.forEach(path -> documents.addAll(ResourceFiles.read(path).documents()));
        var files = new ResourceFiles(documents);
        var pools = files.ofKind(TrainingPool.class);
        var tiers = files.ofKind(TrainingTier.class);
        var settings = files.ofKind(TrainingCluster.class);
        if (pools.isEmpty()) {
            throw new ResourceFileException(
                    "%s: no TrainingPool found; expected at least one TrainingPool".formatted(resources.toString()));
        }
        var problems = Catalogues.of(pools, tiers, settings).problems();
        if (!problems.isEmpty()) {
            throw new ResourceFileException("%s: %s"
                    .formatted(
                            resources, problems.stream().map(Object::toString).collect(Collectors.joining("; "))));
        }
        stock.forEach((name, machines) -> {
            mustExist("--stock", name, pools);
            if (machines < 0) {
                throw wrong("--stock", "'%s=%d'; expected 0 or more machines".formatted(name, machines));
            }
        });
        spotLastsIn.keySet().forEach(name -> mustExist("--spot-lasts-in", name, pools));
        var configured = new Scenario(
                "as configured",
                sharing == Sharing.PART ? GpuShares.offeredBy(pools) : pools,
                tiers,
                settings,
                read(),
                new CloudHabits(
                        boot,
                        driver,
                        CloudHabits.USUAL.failure(),
                        CloudHabits.USUAL.departure(),
                        Optional.ofNullable(spotLasts),
                        spotLastsIn,
                        spotNotice,
                        stock),
                start,
                Optional.ofNullable(length),
                scanInterval,
                batchWindow,
                seed,
                Set.copyOf(faults));
        var usual = deadline == null ? configured : configured.allowingDeadlines();
        var scenarios = new ArrayList<Scenario>();
        scenarios.add(usual);
        for (var text : compare) {
            try {
                scenarios.add(Variation.parse(text).of(usual));
            } catch (IllegalArgumentException e) {
                throw wrong("--compare", String.valueOf(e.getMessage()));
            }
        }
        return scenarios;
    }

    private void mustExist(String option, String name, List<TrainingPool> pools) {
        if (pools.stream().noneMatch(pool -> pool.getMetadata().getName().equals(name))) {
            throw wrong(option, "there is no pool '%s'".formatted(name));
        }
    }

    private void mustLast(String option, @Nullable Duration value) {
        if (value != null && value.isZero()) {
            throw wrong(option, "'0s' is not greater than 0s");
        }
    }

    private ParameterException wrong(String option, String why) {
        return new ParameterException(
                command.commandLine(), "Invalid value for option '%s': %s".formatted(option, why));
    }

    private Workload read() {
        if (!workload.toString().endsWith(".csv") && !from.isZero()) {
            throw wrong("--from", "--workload %s is not a trace; use a .csv file or remove --from".formatted(workload));
        }
        var read = workload.toString().endsWith(".csv")
                ? TraceWorkload.read(workload, from, Optional.ofNullable(length), sharing)
                : YamlWorkload.of(ResourceFiles.read(workload));
        var end = Optional.ofNullable(length).orElse(Simulation.LONGEST);
        var kept = read.before(end);
        if (kept.tasks().isEmpty()) {
            throw new ResourceFileException(
                    "%s: no object is created in the simulated time; expected Jobs, Deployments, StatefulSets, ReplicaSets or Pods, or rows of a trace"
                            .formatted(workload));
        }
        int late = read.tasks().size() - kept.tasks().size();
        if (late > 0) {
            command.commandLine()
                    .getErr()
                    .println(
                            "%s: %d of %d objects are left out, because they arrive after %s, the end of the simulation; to include them, change --from or --for"
                                    .formatted(workload, late, read.tasks().size(), Durations.format(end)));
        }
        return deadline == null ? kept : kept.withDeadlines(start, deadline / 100.0, slack, restartCost);
    }

    private SimulateProgress progress(Scenario scenario) {
        return new SimulateProgress(
                scenario.name(), scenario.length(), command.commandLine().getErr(), System::nanoTime);
    }
}
