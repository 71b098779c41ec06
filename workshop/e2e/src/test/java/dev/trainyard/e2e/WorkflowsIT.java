package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The files in {@code .github}, which only GitHub itself runs. Actionlint checks the workflows, with shellcheck if that is on the
 * {@code PATH}. The other files are compared with this repository.
 */
@Tag("slow")
class WorkflowsIT {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path GITHUB = ROOT.resolve(".github");
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    /** The allowed elements of a form. */
    private static final Set<String> ELEMENTS = Set.of("markdown", "input", "textarea", "dropdown", "checkboxes");

    private static final Pattern PAGE = Pattern.compile("https://github\\.com/[\\w-]+/[\\w-]+/blob/main/([^#]+)(#.*)?");
    private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");

    @Test
    void actionlintFindsNothing() throws IOException {
        var actionlint = GoTool.find(
                "workshop/e2e/actionlint", "github.com/rhysd/actionlint/cmd/actionlint", "TRAINYARD_ACTIONLINT");
        var arguments = new ArrayList<String>(List.of("-no-color"));
        workflows().forEach(workflow -> arguments.add(workflow.toString()));

        var result = actionlint.run(arguments);

        assertThat(result.output()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    /** Requires commits, because the owner of an action can move a tag to other code, but not a commit. */
    @ParameterizedTest
    @MethodSource("workflows")
    void actionsArePinnedToCommits(Path workflow) throws IOException {
        assertThat(Files.readAllLines(workflow))
                .filteredOn(line -> line.contains(" uses: "))
                .isNotEmpty()
                .allMatch(line -> line.matches(" *(- )?uses: (\\./\\S+|\\S+@[0-9a-f]{40} # v[0-9.]+)"));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void formsHaveWhatGitHubRequires(Path file) throws IOException {
        var form = YAML.readTree(file.toFile());

        assertThat(form.path("name").asText()).isNotBlank();
        assertThat(form.path("description").asText()).isNotBlank();
        assertThat(form.path("body")).isNotEmpty().allSatisfy(element -> {
            var type = element.path("type").asText();
            assertThat(type).isIn(ELEMENTS);
            var text = element.path("attributes").path(type.equals("markdown") ? "value" : "label");
            assertThat(text.asText()).as("%s", element).isNotBlank();
        });
        assertThat(texts(form.path("body"), "/id")).doesNotHaveDuplicates();
        assertThat(texts(form.path("body"), "/attributes/label")).doesNotHaveDuplicates();
    }

    @Test
    void linksBesideTheFormsNamePagesThatExist() throws IOException {
        var configuration =
                YAML.readTree(GITHUB.resolve("ISSUE_TEMPLATE/config.yml").toFile());

        assertThat(configuration.path("contact_links")).isNotEmpty().allSatisfy(link -> {
            assertThat(link.path("name").asText()).isNotBlank();
            assertThat(link.path("about").asText()).isNotBlank();
            var page = PAGE.matcher(link.path("url").asText());
            assertThat(page.matches()).as("%s", link).isTrue();
            assertThat(ROOT.resolve(page.group(1))).isRegularFile();
        });
    }

    @ParameterizedTest
    @CsvSource({"maven, pom.xml", "gomod, go.mod", "github-actions, .github/workflows"})
    void dependabotReadsDirectoriesThatExist(String ecosystem, String file) throws IOException {
        assertThat(readByDependabot(ecosystem))
                .isNotEmpty()
                .allSatisfy(directory ->
                        assertThat(ROOT.resolve(directory).resolve(file)).exists());
    }

    @Test
    void dependabotReadsEveryGoModule() throws IOException {
        assertThat(readByDependabot("gomod")).isEqualTo(directoriesWith("go.mod"));
    }

    /** Requires every module in the root's pom.xml, whose list Dependabot follows. */
    @Test
    void dependabotReadsEveryMavenModule() throws IOException {
        var read = readByDependabot("maven");
        MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .forEach(module -> read.add(module.group(1)));

        assertThat(read).isEqualTo(directoriesWith("pom.xml"));
    }

    private static List<Path> workflows() throws IOException {
        return files("workflows");
    }

    private static List<Path> forms() throws IOException {
        return files("ISSUE_TEMPLATE").stream()
                .filter(file -> !file.endsWith("config.yml"))
                .toList();
    }

    private static List<Path> files(String directory) throws IOException {
        try (var files = Files.list(GITHUB.resolve(directory))) {
            return files.sorted().toList();
        }
    }

    /** Returns the directories of an ecosystem in dependabot.yml, relative to the root. */
    private static Set<String> readByDependabot(String ecosystem) throws IOException {
        var directories = new TreeSet<String>();
        for (var update :
                YAML.readTree(GITHUB.resolve("dependabot.yml").toFile()).path("updates")) {
            if (update.path("package-ecosystem").asText().equals(ecosystem)) {
                var named = new ArrayList<>(texts(update.path("directories"), ""));
                named.addAll(texts(YAML.createArrayNode().add(update), "/directory"));
                assertThat(named).allMatch(directory -> directory.startsWith("/"));
                named.forEach(directory -> directories.add(directory.substring(1)));
            }
        }
        return directories;
    }

    /** Returns the values at a JSON pointer in each element that has one. */
    private static List<String> texts(JsonNode elements, String pointer) {
        return StreamSupport.stream(elements.spliterator(), false)
                .map(element -> element.at(pointer))
                .filter(JsonNode::isTextual)
                .map(JsonNode::asText)
                .toList();
    }

    /** Returns the directories that contain the file, relative to the root. Hidden directories and build output are left out. */
    private static Set<String> directoriesWith(String name) throws IOException {
        var directories = new TreeSet<String>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                var last = directory.getFileName().toString();
                boolean skipped = !directory.equals(ROOT)
                        && (last.startsWith(".") || last.equals("target") || last.equals("src"));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.endsWith(name)) {
                    directories.add(ROOT.relativize(file.getParent()).toString());
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return directories;
    }
}
