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

/** The command {@code trainyard bench chaos}. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs generated clusters in virtual time, injects many faults, and checks the invariants after every step. "
                    + "Stops at the first broken invariant, and reports the seed, the kinds of fault that are needed, and the earlier events.",
            "Exit codes: 0, no invariant broke; 1, an invariant broke; 2, wrong usage."
        })
final class BenchChaosCommand implements Callable<Integer> {

    private static final int TOLD_EVERY = 50;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            defaultValue = "100",
            description = "Number of clusters. Default: ${DEFAULT-VALUE}.")
    private int seeds = 100;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the first cluster. Each later seed is one higher. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--faults",
            paramLabel = "FAULT",
            split = ",",
            description = "Inject only these kinds of fault: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Fault> faults = List.of();

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Number of clusters at the same time. Default: the number of processors.")
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
                    "--seeds is %d and --threads is %d; expected 1 or more for each".formatted(seeds, threads));
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
            return text.append("%d clusters, no invariant broke%n".formatted(report.seeds()))
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
