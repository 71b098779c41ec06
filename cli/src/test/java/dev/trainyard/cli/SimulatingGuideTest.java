package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that {@code docs/simulating.md} shows the output of its commands. A block may show only the comparison at the end of the output. The
 * paragraph below a block must contain only numbers of the command or its output. The openb trace is expected in the directory of the
 * property {@code trainyard.openb}, by default {@code ../shared/data/openb}.
 */
class SimulatingGuideTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path GUIDE = ROOT.resolve("docs/simulating.md");
    private static final Path TRACES = Path.of(System.getProperty(
            "trainyard.openb", ROOT.resolve("../shared/data/openb").toString()));
    private static final Pattern BLOCK = Pattern.compile(
            "<!-- tried by SimulatingGuideTest -->\n```sh\n./trainyard simulate (.*?)\n```\n\n```\n(.*?)```\n\n(.*?)\n\n",
            Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("\\b\\d[\\d.hms]*\\b");

    static Stream<String> examples() throws IOException {
        return commands(false);
    }

    static Stream<String> traces() throws IOException {
        return commands(true);
    }

    private static Stream<String> commands(boolean withTrace) throws IOException {
        return BLOCK
                .matcher(Files.readString(GUIDE))
                .results()
                .map(found -> found.group(1))
                .filter(arguments -> arguments.contains("openb_pod_list") == withTrace)
                .toList()
                .stream();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void showsWhatIsPrintedAndNamesNoOtherNumber(String arguments) throws IOException {
        check(arguments);
    }

    /** Days of the trace take minutes. */
    @Tag("slow")
    @ParameterizedTest
    @MethodSource("traces")
    void showsWhatIsPrintedForTracesAndNamesNoOtherNumber(String arguments) throws IOException {
        assumeThat(TRACES).as("the openb trace").isDirectory();
        check(arguments);
    }

    private static void check(String arguments) throws IOException {
        var printed = simulate(arguments);
        var guide = Files.readString(GUIDE);
        var block = BLOCK.matcher(guide)
                .results()
                .filter(found -> found.group(1).equals(arguments))
                .findFirst()
                .orElseThrow();
        var shown = block.group(2).startsWith("COMPARED") ? printed.substring(printed.indexOf("COMPARED")) : printed;

        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(GUIDE, guide.substring(0, block.start(2)) + shown + guide.substring(block.end(2)));
        } else {
            assertThat(block.group(2)).isEqualTo(shown);
        }
        assertThat(NUMBER.matcher(block.group(3)).results().map(found -> found.group()))
                .as("numbers in the text below")
                .allSatisfy(number -> assertThat(arguments + " " + printed)
                        .containsPattern("(?<![\\w.])%s(?![\\w]|\\.\\d)".formatted(Pattern.quote(number))));
    }

    private static String simulate(String arguments) {
        var all = new ArrayList<>(List.of("simulate"));
        for (var argument : arguments.split(" ", 0)) {
            all.add(
                    argument.startsWith("openb_pod_list")
                            ? TRACES.resolve(argument).toString()
                            : argument.contains("/") ? ROOT.resolve(argument).toString() : argument);
        }
        var out = new StringWriter();
        Main.commandLine().setOut(new PrintWriter(out)).execute(all.toArray(String[]::new));
        return out.toString();
    }
}
