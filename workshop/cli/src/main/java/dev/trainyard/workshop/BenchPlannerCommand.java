package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.planner.PlannerBench;
import dev.trainyard.bench.planner.PlannerCase;
import dev.trainyard.bench.planner.PlannerReportText;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench planner}. */
@Command(
        name = "planner",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Plans for tens of thousands of pending pods. Reports the time, the requested machines, by how much their "
                    + "cost exceeds the lower bound, and whether each pod fits its machine."
        })
final class BenchPlannerCommand implements Callable<Integer> {

    @Option(
            names = "--case",
            paramLabel = "CASE",
            description = {
                "a: 51,000 pods of two shapes; b: 10,000 GPU pods, 50 pools, 5,000 nodes; c: 20,000 pods, no two alike; d: 20,000 pods of "
                        + "Deployments, each spread over zones and hosts; e: 10,000 pods in Karpenter's mix, 400 pools; gangs: 8,000 pods "
                        + "in gangs of 8, and without gangs; growth: 1,000 to 100,000 pods. May be repeated. Default: all."
            })
    private List<String> cases = List.of();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the random numbers. Default: 1.")
    private long seed;

    @Option(
            names = "--quick",
            description = "A twentieth of the pods, and few rounds: only checks that the benchmark runs.")
    private boolean quick;

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        output.print(new PlannerBench(chosen(), seed, quick, output.progress()).run(), PlannerReportText::of);
        return 0;
    }

    private List<PlannerCase> chosen() {
        try {
            return cases.isEmpty()
                    ? List.of(PlannerCase.values())
                    : cases.stream().map(PlannerCase::parse).distinct().toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
