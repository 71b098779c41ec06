package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.TroubleshootingTopic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that {@code docs/troubleshooting.md} has a heading for each {@link TroubleshootingTopic}, and that all links in messages work. */
class TroubleshootingTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Pattern HEADING = Pattern.compile("(?m)^### (.+)$");
    private static final Pattern LINK = Pattern.compile("\\((?:docs/)?(?:troubleshooting\\.md)?#([a-z0-9-]+)\\)");
    private static final Pattern NAMED = Pattern.compile("troubleshooting\\.md#([a-z0-9-]+)");

    /** Words for each problem in the articles that Trainyard is based on. A row of the page must have the words and lead to a heading. */
    private static final List<String> OF_THE_ARTICLES = List.of(
            "drivers",
            "fallback",
            "quota",
            "threw an exception",
            "scale set beyond 100 machines",
            "pool's labels",
            "from zero",
            "alpha.kubernetes.io/nvidia-gpu",
            "directory instead of the file",
            "as one word",
            "gpu: true",
            "typographic quotes",
            "acr-auth",
            "private keys",
            "encoded keys twice",
            "rights of the role",
            "Role=minion",
            "instance protection",
            "evicted machines",
            "addresses",
            "size that the autoscaler did not know",
            "printed a banner",
            "namespace `system`",
            "busy with itself",
            "drained the machine",
            "under-utilized-undrainable",
            "needed DNS",
            "got no answer");

    private final String page = read(ROOT.resolve(TroubleshootingTopic.FILE));

    @Test
    void hasAHeadingForEachTrapAndNoOther() {
        assertThat(headings())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(TroubleshootingTopic.values())
                        .map(TroubleshootingTopic::anchor)
                        .toList());
    }

    @Test
    void leadsNowhereThatThereIsNot() throws IOException {
        assertThat(headings()).containsAll(matches(LINK, page));
        try (var files = Files.walk(ROOT)) {
            for (var file : (Iterable<Path>) files.filter(TroubleshootingTest::isOurs)::iterator) {
                assertThat(headings()).as(file.toString()).containsAll(matches(NAMED, read(file)));
            }
        }
    }

    @Test
    void knowsWhatTheArticlesStumbledOver() {
        var rows = page.substring(page.indexOf("## What the articles stumbled over"))
                .lines()
                .filter(line -> line.startsWith("| ") && line.contains("](#"))
                .toList();
        assertThat(rows).hasSameSizeAs(OF_THE_ARTICLES);
        assertThat(OF_THE_ARTICLES).allSatisfy(words -> assertThat(rows).anyMatch(row -> row.contains(words)));
    }

    /** A heading helps users of messages only if code uses its {@link TroubleshootingTopic}. */
    @Test
    void isNamedByMessagesForAllThatTrainyardSees() throws IOException {
        var used = new TreeSet<String>();
        try (var files = Files.walk(ROOT)) {
            for (var file : (Iterable<Path>) files.filter(TroubleshootingTest::isMainSource)::iterator) {
                var text = read(file);
                Arrays.stream(TroubleshootingTopic.values())
                        .filter(trap -> text.contains("TroubleshootingTopic." + trap.name()))
                        .forEach(trap -> used.add(trap.name()));
            }
        }
        var seenByPeopleOnly = Arrays.stream(TroubleshootingTopic.values())
                .map(TroubleshootingTopic::name)
                .filter(name -> !used.contains(name))
                .collect(Collectors.toSet());
        assertThat(seenByPeopleOnly)
                .isEqualTo(Set.of(
                        "COMMAND_IN_ONE_WORD",
                        "DNS_DOWN",
                        "DRIVER_FILES",
                        "IMAGES_NOT_PULLED",
                        "INSTALL_REFUSED",
                        "NODES_REFUSED",
                        "OWN_PODS_WAIT",
                        "SUBNET_FULL",
                        "TYPOGRAPHIC_QUOTES"));
    }

    private Set<String> headings() {
        return matches(HEADING, page);
    }

    private static Set<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isOurs(Path file) {
        var name = file.toString();
        return !name.contains("/target/")
                && (name.endsWith(".md") || name.endsWith(".java") || name.endsWith(".yaml"))
                && Files.isRegularFile(file);
    }

    private static boolean isMainSource(Path file) {
        return file.toString().endsWith(".java") && file.toString().contains("/src/main/java/");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
