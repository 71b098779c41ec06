package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.chaos.Chaos;
import dev.trainyard.cli.LogSuppression;
import dev.trainyard.simulation.fault.Fault;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trainyard bench chaos}. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs made-up clusters in virtual time in which everything goes wrong, and looks after every step at what must always hold. "
                    + "Stops at the first thing that breaks, with its seed, the kinds of fault that it takes, and what happened before.",
            "Exit codes: 0, nothing broke; 1, something did; 2, called wrongly."
        })
final class BenchChaosCommand implements Callable<Integer> {

    private static final int TOLD_EVERY = 50;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many clusters. Default: ${DEFAULT-VALUE}.")
    private int seeds = 100;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "The first one; those after it are one more each. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--faults",
            paramLabel = "FAULT",
            split = ",",
            description = "Only these kinds of fault: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Fault> faults = List.of();

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Clusters at the same time. Default: as many as there are processors.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        if (seeds < 1 || threads < 1) {
            throw new ParameterException(
                    command.commandLine(),
                    "--seeds is %d and --threads %d; expected 1 or more of each".formatted(seeds, threads));
        }
        var chosen = faults.isEmpty() ? EnumSet.allOf(Fault.class) : EnumSet.copyOf(faults);
        var report = LogSuppression.during(() -> Chaos.run(seed, seeds, chosen, threads, progress()));
        output.print(report, BenchChaosCommand::text);
        return report.failure() == null ? 0 : 1;
    }

    private LongConsumer progress() {
        var progress = output.progress();
        return ended -> {
            if (ended % TOLD_EVERY == 0) {
                progress.accept("%d of %d".formatted(ended, seeds));
            }
        };
    }

    static String text(Chaos.Report report) {
        var text = new StringBuilder(String.format(
                Locale.ROOT,
                "%d rounds in %.1f s, %.0f in a second; seeds from %d%n",
                report.rounds(),
                report.seconds(),
                report.rounds() / report.seconds(),
                report.first()));
        var broken = report.failure();
        if (broken == null) {
            return text.append("%d clusters, nothing broke%n".formatted(report.seeds()))
                    .toString();
        }
        var kinds = broken.faults().stream().map(Fault::toString).collect(Collectors.joining(","));
        text.append("BROKEN at %.1f s: %s: %s%n".formatted(broken.at(), broken.invariant(), broken.how()));
        broken.log().forEach(line -> text.append("  ").append(line).append('\n'));
        return text.append("again: ./trainyard bench chaos --seeds 1 --seed %d --faults %s%n"
                        .formatted(broken.seed(), kinds))
                .toString();
    }
}
