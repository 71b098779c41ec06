package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that pages, comments and messages use the words of {@code docs/glossary.md}, that pages wrap, and that their links lead to files. */
class ProseTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));

    private static final int LONGEST = 120;

    /** The words to use, by patterns of words to avoid. */
    private static final Map<Pattern, String> IDIOMS = idioms();

    private static final Pattern FENCE = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern NO_PROSE = Pattern.compile("`[^`]*`|\\]\\([^)]*\\)");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

    /** A comment or a string. Matches character literals too, so that a quote in such a literal does not begin a string. */
    private static final Pattern WORDS = Pattern.compile(
            "(//[^\n]*|/\\*.*?\\*/)|(\"\"\".*?\"\"\"|\"(?:[^\"\\\\\n]|\\\\.)*\")|'(?:[^'\\\\\n]|\\\\.)+'",
            Pattern.DOTALL);

    private static final Pattern TAG = Pattern.compile("\\{@[^}]*}|@param \\w+");

    private static Map<Pattern, String> idioms() {
        var idioms = new LinkedHashMap<Pattern, String>();
        Map.of(
                        "mend(s|ed|ing)?", "fix",
                        "to be had", "a stock-out, or none",
                        "in vain", "say what failed",
                        "patience", "timeout or deadline",
                        "(on|in) (its|their) way", "provisioning, or being removed",
                        "(taken?|takes|took) back", "reclaimed, or withdrawn",
                        "whoever", "name the subject",
                        "buys?|bought", "launch",
                        "nobody", "name the subject, with a negation",
                        "reckon(s|ed|ing)?", "consider")
                .forEach((idiom, instead) -> idioms.put(word(idiom), instead));
        idioms.put(word("anew"), "again");
        idioms.put(word("for ever"), "until what ends it");
        idioms.put(word("of which"), "a sentence of its own");
        return idioms;
    }

    private static Pattern word(String idiom) {
        return Pattern.compile("\\b(" + idiom + ")\\b", Pattern.CASE_INSENSITIVE);
    }

    @Test
    void pagesUseTheWordsOfTheGlossary() throws IOException {
        var found = new ArrayList<String>();
        for (var page : pages()) {
            var prose = NO_PROSE.matcher(withoutBlocks(page)).replaceAll(" ");
            IDIOMS.forEach((idiom, instead) -> idiom.matcher(prose)
                    .results()
                    .forEach(match -> found.add(
                            "%s: \"%s\": write %s".formatted(ROOT.relativize(page), match.group(), instead))));
        }
        assertThat(found).isEmpty();
    }

    /** Messages of tests are left out: only developers read them. */
    @Test
    void commentsAndMessagesUseTheWordsOfTheGlossary() throws IOException {
        var found = new ArrayList<String>();
        for (var source : sources()) {
            boolean main = source.toString().contains("/src/main/");
            WORDS.matcher(Files.readString(source))
                    .results()
                    .filter(words -> words.group(1) != null || (main && words.group(2) != null))
                    .map(words -> TAG.matcher(words.group()).replaceAll(" "))
                    .filter(words -> words.contains(" "))
                    .forEach(words -> IDIOMS.forEach((idiom, instead) -> idiom.matcher(words)
                            .results()
                            .forEach(match -> found.add("%s: \"%s\": write %s"
                                    .formatted(ROOT.relativize(source), match.group(), instead)))));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void linksOfPagesLeadToFiles() throws IOException {
        var missing = new ArrayList<String>();
        for (var page : Stream.concat(pages().stream(), decisions().stream()).toList()) {
            LINK.matcher(withoutBlocks(page))
                    .results()
                    .map(link -> link.group(1))
                    .filter(link -> !link.contains(":"))
                    .filter(link -> !Files.exists(page.resolveSibling(link)))
                    .forEach(link -> missing.add(ROOT.relativize(page) + ": " + link));
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void linesOfPagesWrap() throws IOException {
        var found = new ArrayList<String>();
        for (var page : pages()) {
            withoutBlocks(page)
                    .lines()
                    .filter(line -> line.length() > LONGEST && !line.startsWith("|") && isBreakable(line))
                    .forEach(line -> found.add("%s: %s".formatted(ROOT.relativize(page), line)));
        }
        assertThat(found).isEmpty();
    }

    /** Whether the line is too long without its commands and links, which are never wrapped. */
    private static boolean isBreakable(String line) {
        return NO_PROSE.matcher(line).replaceAll("").length() > LONGEST;
    }

    private static String withoutBlocks(Path page) throws IOException {
        return FENCE.matcher(Files.readString(page)).replaceAll("");
    }

    private static List<Path> decisions() throws IOException {
        try (var decisions = Files.list(ROOT.resolve("docs/decisions"))) {
            return decisions.sorted().toList();
        }
    }

    /** Returns all Java files but this one, which names the words to avoid. */
    private static List<Path> sources() throws IOException {
        try (var files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java")
                            && !file.endsWith("ProseTest.java")
                            && !file.toString().contains("/target/"))
                    .toList();
        }
    }

    /** Returns all pages except the glossary, which names words to avoid, and the reference, which has the help of commands. */
    private static List<Path> pages() throws IOException {
        try (var docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                                    .map(ROOT::resolve),
                            docs.filter(page -> page.toString().endsWith(".md"))
                                    .filter(page -> !page.endsWith("glossary.md") && !page.endsWith("reference.md"))
                                    .sorted())
                    .toList();
        }
    }
}
