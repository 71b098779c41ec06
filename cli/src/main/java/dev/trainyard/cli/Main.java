package dev.trainyard.cli;

import dev.trainyard.certs.TlsException;
import dev.trainyard.core.Durations;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.ServerException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The main class of the executable. Exit codes: 0 for success, 1 for a failure or output that cannot be written, 2 for wrong usage. If a
 * command uses other exit codes, its help lists them.
 */
@Command(
        name = "trainyard",
        description = "Runs plain training jobs on the Kubernetes machines that you prefer, such as spot machines.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Main {

    private static final List<Class<?>> COMMANDS = List.of(
            WebhookCommand.class,
            ExtenderCommand.class,
            ScalerCommand.class,
            MutateCommand.class,
            PlanCommand.class,
            SimulateCommand.class,
            PolicyCommand.class,
            CheckCommand.class,
            CertsCommand.class,
            StatusCommand.class,
            ImportCommand.class,
            HelpCommand.class);

    /**
     * The version of this executable and of the image that contains it, such as {@code 0.1.0}. The build writes the version into a file of
     * the executable.
     */
    static final String VERSION = readVersion();

    /** The exit code that shells expect of an interrupted program. */
    private static final int INTERRUPTED = 130;

    private Main() {}

    /** Runs the command in {@code arguments}, and exits. */
    public static void main(String[] arguments) {
        run(commandLine(arguments), arguments);
    }

    /** Runs the command in {@code arguments}, and exits. */
    public static void run(CommandLine commandLine, String[] arguments) {
        // Reports, logs and pages are the same in every locale, with digits that programs can parse.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var ending = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ending.set(true), "main-ending"));
        StandardOutput.install(commandLine);
        var explain = commandLine.getExecutionExceptionHandler();
        // After Ctrl-C, errors of the interrupted command are not printed.
        commandLine.setExecutionExceptionHandler((problem, command, parsed) ->
                ending.get() ? INTERRUPTED : explain.handleExecutionException(problem, command, parsed));
        System.exit(commandLine.execute(arguments));
    }

    /**
     * Returns a new command line for {@code arguments}. If these start with the name of a command, no other command is in it, because
     * reading the flags of all commands takes a tenth of the start of a component.
     */
    public static CommandLine commandLine(String... arguments) {
        return commandLine(List.of(), problem -> false, arguments);
    }

    /**
     * Returns a new command line as {@link #commandLine(String...)} does, with the commands {@code more}.
     *
     * @param more classes of additional commands
     * @param explained whether a problem of the additional commands has a message that suffices without a stack trace
     */
    public static CommandLine commandLine(List<Class<?>> more, Predicate<Exception> explained, String... arguments) {
        var commandLine = new CommandLine(new Main());
        commands(more, arguments).forEach(commandLine::addSubcommand);
        commandLine.getCommandSpec().version("trainyard " + VERSION);
        return commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(ListenAddress.class, text -> converted(text, ListenAddress::parse))
                .registerConverter(LeaseName.class, text -> converted(text, LeaseName::parse))
                .registerConverter(
                        Integer.class,
                        text -> wholeNumber(text, Integer.MAX_VALUE).intValue())
                .registerConverter(
                        int.class, text -> wholeNumber(text, Integer.MAX_VALUE).intValue())
                .registerConverter(Long.class, text -> wholeNumber(text, Long.MAX_VALUE))
                .registerConverter(long.class, text -> wholeNumber(text, Long.MAX_VALUE))
                .registerConverter(Duration.class, text -> converted(text, Durations::parse))
                .registerConverter(Instant.class, text -> converted(text, Main::time))
                .setParameterExceptionHandler(Main::explainUsage)
                .setExecutionExceptionHandler((problem, command, parsed) ->
                        explain(problem, command, isExplained(problem) || explained.test(problem)));
    }

    private static List<Class<?>> commands(List<Class<?>> more, String... arguments) {
        var all = Stream.concat(COMMANDS.stream(), more.stream()).toList();
        var named = all.stream()
                .filter(command -> command != HelpCommand.class) // describes the other commands
                .filter(command -> arguments.length > 0
                        && command.getAnnotation(Command.class).name().equals(arguments[0]))
                .findFirst();
        return named.<List<Class<?>>>map(List::of).orElse(all);
    }

    private static String readVersion() {
        var properties = new Properties();
        try (var file = Objects.requireNonNull(
                Main.class.getResourceAsStream("version.properties"), "version.properties is missing")) {
            properties.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("'%s' is not a time such as 2026-01-31T12:00:00Z".formatted(text), e);
        }
    }

    /** @param most the largest value; its negative is the smallest */
    private static Long wholeNumber(String text, long most) {
        if (!text.matches("[-+]?[0-9]+")) {
            throw new TypeConversionException("'%s' is not a whole number, such as 12".formatted(text));
        }
        var number = new BigInteger(text);
        if (number.abs().compareTo(BigInteger.valueOf(most)) > 0) {
            throw new TypeConversionException(
                    number.signum() < 0
                            ? "%s is too small: expected at least %d".formatted(text, -most)
                            : "%s is too large: expected at most %d".formatted(text, most));
        }
        return number.longValueExact();
    }

    private static <T> T converted(String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** Prints the usage error without the full help, which would scroll the error off the screen. */
    private static int explainUsage(ParameterException problem, String[] arguments) {
        var command = problem.getCommandLine();
        command.getErr()
                .println("trainyard: " + String.valueOf(problem.getMessage()).replaceFirst("^Error: ", ""));
        UnmatchedArgumentException.printSuggestions(problem, command.getErr());
        command.getErr()
                .println("Try '%s --help'.".formatted(command.getCommandSpec().qualifiedName()));
        return ExitCode.USAGE;
    }

    /**
     * Whether the message of {@code problem} tells a user what to do. All other problems are bugs of this project, and get a stack trace.
     */
    private static boolean isExplained(Exception problem) {
        return problem instanceof ResourceFileException
                || problem instanceof TlsException
                || problem instanceof ServerException
                || problem instanceof KubernetesClientException
                || problem instanceof UncheckedIOException
                || problem instanceof IllegalArgumentException;
    }

    private static int explain(Exception problem, CommandLine command, boolean explained) {
        if (explained) {
            command.getErr().println("trainyard: " + problem.getMessage());
        } else {
            command.getErr().println("trainyard: internal error; please report this error with the text below");
            problem.printStackTrace(command.getErr());
        }
        return command.getCommandSpec().exitCodeOnExecutionException();
    }
}
