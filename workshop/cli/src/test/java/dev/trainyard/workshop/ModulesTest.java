package dev.trainyard.workshop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that the picture of modules in {@code docs/architecture.md} matches the poms. Rewrite it with -Dtrainyard.update=true. */
class ModulesTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path PAGE = ROOT.resolve("docs/architecture.md");
    private static final Pattern PICTURE =
            Pattern.compile("(<!-- generated: modules -->\n).*?(<!-- end -->)", Pattern.DOTALL);
    private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>trainyard-(.+?)</artifactId>");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>dev\\.trainyard</groupId>\\s*<artifactId>trainyard-([^<]+)</artifactId>(.*?)</dependency>",
            Pattern.DOTALL);
    private static final Pattern PARENT = Pattern.compile("<parent>.*?</parent>", Pattern.DOTALL);
    private static final String WORKSHOP = "workshop/";

    @Test
    void pictureShowsTheModulesAndTheirDependencies() throws IOException {
        var text = Files.readString(PAGE);
        var expected = PICTURE.matcher(text).replaceFirst("$1" + Matcher.quoteReplacement(picture(modules())) + "$2");
        if (Boolean.getBoolean("trainyard.update")) {
            Files.writeString(PAGE, expected);
            text = expected;
        }
        assertThat(text).isEqualTo(expected);
    }

    @Test
    void noModuleOfTheProductDependsOnTheWorkshop() throws IOException {
        modules().forEach((module, dependencies) -> {
            if (!module.startsWith(WORKSHOP)) {
                assertThat(dependencies).as(module).noneMatch(dependency -> dependency.startsWith(WORKSHOP));
            }
        });
    }

    @Test
    void noTwoTypesHaveTheSameSimpleName() throws IOException {
        try (var files = Files.walk(ROOT)) {
            var types = files.map(Path::toString)
                    .filter(file ->
                            file.endsWith(".java") && !file.endsWith("package-info.java") && !file.contains("/target/"))
                    .collect(Collectors.groupingBy(file -> file.substring(file.lastIndexOf('/') + 1)));
            assertThat(types)
                    .isNotEmpty()
                    .allSatisfy((name, paths) -> assertThat(paths).hasSize(1));
        }
    }

    /** Returns the modules that each module needs to run, by folder. */
    private static Map<String, Set<String>> modules() throws IOException {
        var poms = new TreeMap<String, String>();
        var folders = new TreeMap<String, String>();
        for (var match : MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .toList()) {
            var folder = match.group(1);
            var pom = PARENT.matcher(Files.readString(ROOT.resolve(folder).resolve("pom.xml")))
                    .replaceFirst("");
            var artifact = ARTIFACT.matcher(pom);
            if (artifact.find() && !pom.contains("<packaging>pom")) {
                poms.put(folder, pom);
                folders.put(artifact.group(1), folder);
            }
        }
        var modules = new TreeMap<String, Set<String>>();
        poms.forEach((folder, pom) -> modules.put(
                folder,
                DEPENDENCY
                        .matcher(pom)
                        .results()
                        .filter(match ->
                                folder.endsWith("/e2e") || !match.group(2).contains("<scope>test"))
                        .filter(match -> !match.group(2).contains("<type>"))
                        .map(match -> folders.get(match.group(1)))
                        .collect(Collectors.toCollection(TreeSet::new))));
        return modules;
    }

    /** Returns the picture. Arrows to indirect dependencies are left out. */
    private static String picture(Map<String, Set<String>> modules) {
        var product = new StringBuilder();
        var workshop = new StringBuilder();
        var arrows = new StringBuilder();
        modules.forEach((module, dependencies) -> {
            var box = "    %s[\"%s\"]\n".formatted(id(module), module);
            (module.startsWith(WORKSHOP) ? workshop : product).append(box);
            dependencies.stream()
                    .filter(dependency -> dependencies.stream()
                            .noneMatch(other -> !other.equals(dependency) && leads(modules, other, dependency)))
                    .forEach(dependency -> arrows.append("  %s --> %s\n".formatted(id(module), id(dependency))));
        });
        return "```mermaid\nflowchart TD\n  subgraph workshop [\"the workshop\"]\n%s  end\n  subgraph product [\"the product\"]\n%s  end\n%s```\n"
                .formatted(workshop, product, arrows);
    }

    private static boolean leads(Map<String, Set<String>> modules, String from, String to) {
        return modules.getOrDefault(from, Set.of()).stream()
                .anyMatch(next -> next.equals(to) || leads(modules, next, to));
    }

    private static String id(String module) {
        return module.replace('/', '_');
    }
}
