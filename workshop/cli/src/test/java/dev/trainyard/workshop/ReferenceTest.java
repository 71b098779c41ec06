package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;

/** Tests that {@code docs/reference.md} matches the executable. Rewrite its flags with -Dtrainyard.update=true. */
class ReferenceTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path REFERENCE = ROOT.resolve("docs/reference.md");
    private static final Pattern NAME = Pattern.compile("[\"`](trainyard\\.dev/[a-z][a-z-]*)[\"`]");
    /** The declaration of a meter, with groups for its kind and name. */
    private static final Pattern METER =
            Pattern.compile("(\\w+)(?:\\.builder)?\\(\\s*\"(trainyard\\.[a-z]+\\.[a-z.]+)\"");

    private static final Pattern METRIC = Pattern.compile("`(trainyard_[a-z_]+)`");
    private static final Pattern GENERATED =
            Pattern.compile("(<!-- generated: commands -->\n).*(<!-- end -->)", Pattern.DOTALL);

    @Test
    void listsEveryCommandWithItsFlags() throws IOException {
        var text = Files.readString(REFERENCE);
        var expected = GENERATED.matcher(text).replaceFirst("$1" + Matcher.quoteReplacement(commands()) + "$2");
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(REFERENCE, expected);
            text = expected;
        }
        assertThat(text).isEqualTo(expected);
    }

    @Test
    void listsEveryLabelAndAnnotation() throws IOException {
        var inCode = new TreeSet<String>();
        try (var files = Files.walk(ROOT)) {
            for (var file : (Iterable<Path>) files.filter(ReferenceTest::isMainSource)::iterator) {
                inCode.addAll(names(file));
            }
        }
        inCode.remove("trainyard.dev/trainyard-"); // the prefix of event reporters
        assertThat(names(REFERENCE)).isEqualTo(inCode).isNotEmpty();
    }

    /** Metrics are listed by their names in Prometheus. */
    @Test
    void listsEveryMetric() throws IOException {
        var inCode = new TreeSet<String>();
        try (var files = Files.walk(ROOT)) {
            for (var file : (Iterable<Path>) files.filter(ReferenceTest::isMainSource)::iterator) {
                METER.matcher(Files.readString(file))
                        .results()
                        .map(match -> match.group(2).replace('.', '_') + suffix(match.group(1)))
                        .forEach(inCode::add);
            }
        }
        var documented = METRIC.matcher(Files.readString(REFERENCE))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).isEqualTo(inCode).isNotEmpty();
    }

    private static String suffix(String meter) {
        return switch (meter.toLowerCase(Locale.ROOT)) {
            case "counter" -> "_total";
            case "timer" -> "_seconds";
            default -> "";
        };
    }

    private static String commands() {
        return Workshop.commandLine().getSubcommands().values().stream()
                .filter(command -> !command.getCommandName().equals("help"))
                .flatMap(command -> Stream.concat(Stream.of(command), command.getSubcommands().values().stream()))
                .map(ReferenceTest::usage)
                .collect(Collectors.joining());
    }

    private static String usage(CommandLine command) {
        var spec = command.getCommandSpec();
        spec.usageMessage().width(130);
        var help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        return "### `trainyard %s`\n\n%s\n\n```\n%s```\n\n"
                .formatted(
                        spec.qualifiedName().replaceFirst("^trainyard ", ""),
                        String.join(" ", spec.usageMessage().description()),
                        help.optionList().replaceAll(" +\n", "\n"));
    }

    private static boolean isMainSource(Path file) {
        return file.toString().endsWith(".java") && file.toString().contains("/src/main/java/");
    }

    private static Set<String> names(Path file) throws IOException {
        return NAME.matcher(Files.readString(file))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
