package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/**
 * Tests of the commands in README and docs. A block of commands has a comment before it: {@code <!-- tried by SomeTest -->}, or
 * {@code <!-- needs a cloud: which -->}.
 */
class DocumentedCommandsTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));

    private static final Pattern BLOCK =
            Pattern.compile("(?:^<!-- (.*?) -->\\n)?^```(\\w*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern COMMAND =
            Pattern.compile("^(?:\\./trainyard|kubectl|helm|mvn|curl|kind|az|aws) \\S", Pattern.MULTILINE);

    private static final Pattern TRIED = Pattern.compile("tried by (\\w+(?:(?:, | and )\\w+)*)");
    private static final Pattern NEEDS =
            Pattern.compile("needs (?:a cluster|a cloud|a registry|a network|time)(?:: .+)?");

    /** A command of Trainyard in text or at the start of a line in a block, up to a comment, a pipe or the next command. */
    private static final Pattern OURS = Pattern.compile(
            "(?:`|^|\\| |&& )\\./trainyard (.*?)(?:`|\\s+#.*| \\|.*| > .*| && .*| \\\\)?$", Pattern.MULTILINE);

    private static final Pattern INLINE = Pattern.compile("`\\./trainyard [^`\\n]+`");

    @Test
    void everyBlockOfCommandsIsTriedByATestOrSaysWhatItNeeds() throws IOException {
        var tests = tests();
        var unmarked = new ArrayList<String>();
        for (var file : documents()) {
            var text = Files.readString(file);
            for (var block : BLOCK.matcher(text).results().toList()) {
                boolean commands = block.group(2).equals("sh")
                        || (block.group(2).isEmpty()
                                && COMMAND.matcher(block.group(3)).find());
                if (commands && !isMarked(block.group(1), tests)) {
                    unmarked.add("%s:%d: %s"
                            .formatted(
                                    ROOT.relativize(file),
                                    text.substring(0, block.start(3)).lines().count(),
                                    block.group(1)));
                }
            }
        }
        assertThat(unmarked)
                .as(
                        "blocks of commands without '<!-- tried by SomeTest -->' or '<!-- needs a cloud: ... -->' before them")
                .isEmpty();
    }

    /** In blocks, commands must have all required flags. In text, a command may be named without its flags. */
    @Test
    void everyCommandOfOursIsUnderstood() throws IOException {
        var wrong = new ArrayList<String>();
        int seen = 0;
        for (var file : documents()) {
            var text = Files.readString(file);
            for (var block : BLOCK.matcher(text).results().toList()) {
                for (var command : OURS.matcher(block.group(3).replace("\\\n", " "))
                        .results()
                        .toList()) {
                    seen++;
                    problem(command.group(1), false)
                            .forEach(problem -> wrong.add(ROOT.relativize(file) + ": " + problem));
                }
            }
            for (var span : INLINE.matcher(text).results().toList()) {
                var command = OURS.matcher(span.group());
                if (command.find()) {
                    seen++;
                    problem(command.group(1), true)
                            .forEach(problem -> wrong.add(ROOT.relativize(file) + ": " + problem));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(seen).isGreaterThan(40);
    }

    @Test
    void releaseWorkflowRunsTheCommandsOfTheGuide() throws IOException {
        var guide = Files.readString(ROOT.resolve("docs/releasing.md"));
        var workflow = Files.readString(ROOT.resolve(".github/workflows/release.yml"));

        var commands = guide.lines()
                .filter(line -> line.matches("git clone .*|mvn -Prelease .*"))
                .toList();

        assertThat(commands)
                .hasSize(2)
                .allSatisfy(command -> assertThat(workflow).contains("  " + command + "\n"));
    }

    /** Runs the commands on the first pages that need only this checkout. */
    @Test
    void whatTheFirstPagesTellToTypeWorks() throws IOException {
        var commands = new ArrayList<String>();
        for (var page : List.of("README.md", "docs/getting-started.md")) {
            OURS.matcher(Files.readString(ROOT.resolve(page)))
                    .results()
                    .map(match -> match.group(1).strip())
                    .filter(command -> command.matches("(mutate|plan) .*manifests/examples.*"))
                    .forEach(commands::add);
        }
        assertThat(commands).hasSize(4).allSatisfy(command -> {
            var out = new StringWriter();
            int code = Workshop.commandLine()
                    .setOut(new PrintWriter(out, true))
                    .execute(command.replace("manifests/", ROOT + "/manifests/").split("\\s+"));
            assertThat(code).isZero();
            assertThat(out.toString()).isNotBlank();
        });
    }

    @Test
    void theFirstPoolAndTierThatAreShownHaveNoProblems(@TempDir Path directory) throws IOException {
        var guide = Files.readString(ROOT.resolve("docs/getting-started.md"));
        var shown = BLOCK.matcher(guide)
                .results()
                .filter(block -> block.group(2).equals("yaml"))
                .map(block -> block.group(3))
                .collect(Collectors.joining("---\n"));
        Files.writeString(directory.resolve("yard.yaml"), shown);
        var out = new StringWriter();

        int code = Workshop.commandLine()
                .setOut(new PrintWriter(out, true))
                .execute("plan", "--resources", directory.toString());

        assertThat(code).isZero();
        assertThat(out.toString()).contains("v100-spot").doesNotContain("Problems");
    }

    private static Stream<String> problem(String command, boolean named) {
        // Skips commands of another program, alternatives, and commands with omissions.
        if (command.matches("(?:image\\b|[A-Z]|--help|.*\\w\\|\\w).*") || command.contains("...")) {
            return Stream.empty();
        }
        var arguments = command.replaceAll("[\\[\\]]", "").strip().split("\\s+");
        try {
            Workshop.commandLine().parseArgs(arguments);
            return Stream.empty();
        } catch (MissingParameterException e) {
            return named ? Stream.empty() : Stream.of(command + ": " + e.getMessage());
        } catch (ParameterException e) {
            return Stream.of(command + ": " + e.getMessage());
        }
    }

    private static boolean isMarked(String comment, Set<String> tests) {
        if (comment == null) {
            return false;
        }
        var tried = TRIED.matcher(comment);
        return NEEDS.matcher(comment).matches()
                || (tried.matches()
                        && Stream.of(tried.group(1).split(", | and ")).allMatch(tests::contains));
    }

    private static List<Path> documents() throws IOException {
        try (var docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")), docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> tests() throws IOException {
        try (var files = Files.walk(ROOT)) {
            return files.map(Path::toString)
                    .filter(file -> file.contains("/src/test/java/") && file.endsWith(".java"))
                    .map(file -> file.substring(file.lastIndexOf('/') + 1).replace(".java", ""))
                    .collect(Collectors.toSet());
        }
    }
}
