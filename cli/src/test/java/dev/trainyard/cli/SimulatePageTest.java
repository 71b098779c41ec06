package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.SimulatePlot.Point;
import dev.trainyard.cli.SimulatePlot.Series;
import dev.trainyard.scaler.page.Chromium;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the report of a simulation in a browser. {@code -Dtrainyard.screenshots=true} renews the pictures of {@code docs/simulating.md}. */
class SimulatePageTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String COMPLETE = "document.readyState === 'complete'";
    private static final int LARGEST_PICTURE = 150_000;
    /** The minimum contrast of graphics; {@link #TEXT} is that of text. Both are from WCAG 2.2, success criteria 1.4.11 and 1.4.3. */
    private static final double DRAWN = 3;

    private static final double TEXT = 4.5;

    /** The minimum colour distance in a legend. CSS Color Module Level 4 uses 0.02 for colours that just differ side by side. */
    private static final double ALIKE = 0.09;

    /** JavaScript for two CSS colours: their contrast by WCAG's formula, and their distance in Oklab (CSS Color Module Level 4, 9.2). */
    private static final String CONTRAST = """
            const parts = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
                .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            const times = (matrix, vector) => matrix.map(row => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
            const oklab = colour => times(
                [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]],
                times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]],
                    parts(colour)).map(Math.cbrt));
            const difference = (one, other) => Math.hypot(...oklab(one).map((part, i) => part - oklab(other)[i]));
            const light = colour => { const [r, g, b] = parts(colour); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const contrast = (one, other) => { const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
                return (high + 0.05) / (low + 0.05); };
            const ground = getComputedStyle(document.body).backgroundColor;
            """;

    @TempDir
    static Path directory;

    private static Chromium chromium;
    private static String url;

    @BeforeAll
    static void start() throws Exception {
        var executable = Chromium.find();
        assumeThat(executable)
                .as(
                        "there is no chromium on the PATH, so that the report is not tried in a browser; on Debian: apt-get install chromium")
                .isPresent();
        var out = new StringWriter();
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .execute(
                        "simulate",
                        "--resources",
                        ROOT.resolve("manifests/examples").toString(),
                        "--workload",
                        ROOT.resolve("manifests/examples/day.yaml").toString(),
                        "--for",
                        "24h",
                        "--spot-lasts",
                        "2h",
                        "--compare",
                        "on-demand-only,idle-after=30m",
                        "-o",
                        "html");
        assertThat(exitCode).isZero();
        url = Files.writeString(directory.resolve("report.html"), out.toString())
                .toUri()
                .toString();
        chromium = Chromium.start(executable.get(), Files.createDirectory(directory.resolve("profile")));
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
        }
    }

    private static Chromium.Page open(int width, int height, boolean dark) throws Exception {
        return chromium.page(width, height, dark).open(url, COMPLETE);
    }

    private static double least(Chromium.Page page, String contrasts) throws Exception {
        return page.evaluate("(() => { %s return Math.min(...%s); })()".formatted(CONTRAST, contrasts))
                .asDouble();
    }

    @Test
    void asksForNothingButTheFile() throws Exception {
        assertThat(open(1200, 900, false).requests()).singleElement().isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void plotsStandOutFromTheirGround(boolean dark) throws Exception {
        var page = open(1200, 900, dark);

        assertThat(page.evaluate("getComputedStyle(document.body).backgroundColor")
                        .asText())
                .isEqualTo(dark ? "rgb(18, 24, 31)" : "rgb(255, 255, 255)");
        assertThat(page.evaluate("document.querySelectorAll('.area').length").asInt())
                .isGreaterThan(10);
        assertThat(page.evaluate("document.querySelectorAll('.line').length").asInt())
                .isGreaterThanOrEqualTo(3);
        assertThat(
                        least(
                                page,
                                "[...document.querySelectorAll('.area')].map(area => contrast(getComputedStyle(area).fill, ground))"))
                .isGreaterThan(DRAWN);
        assertThat(
                        least(
                                page,
                                "[...document.querySelectorAll('.line')].map(line => contrast(getComputedStyle(line).stroke, ground))"))
                .isGreaterThan(DRAWN);
        assertThat(
                        least(
                                page,
                                "[...document.querySelectorAll('svg text')].map(text => contrast(getComputedStyle(text).fill, ground))"))
                .isGreaterThan(TEXT);
        assertThat(least(
                        page,
                        "[...document.querySelectorAll('p, th, td, li, h1, h2, figcaption')].map(text =>"
                                + " contrast(getComputedStyle(text).color, ground))"))
                .isGreaterThan(TEXT);
    }

    /** Twelve pools are more than most clusters have, and use all colours. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twelvePoolsLookDifferent(boolean dark) throws Exception {
        var page = open(1200, 900, dark);
        var pools = IntStream.range(0, SimulatePlot.COLOURS)
                .mapToObj(i -> new Series("pool-" + i, i, List.of(new Point(0, 1), new Point(10, 1))))
                .toList();
        var plots = new SimulatePlot("Machines", 10, pools.size(), pools, List.of()).html()
                + new SimulatePlot("Cost", 10, 1, List.of(), pools).html();
        page.evaluate("document.querySelector('main').innerHTML = " + new ObjectMapper().writeValueAsString(plots));

        assertThat(pools).hasSizeGreaterThanOrEqualTo(12);
        for (var drawn : List.of("'.wide .area'", "'.wide .line'", "'.key .area'", "'.key .line'")) {
            var colours = """
                    [...document.querySelectorAll(%s)].map(path => getComputedStyle(path))
                        .map(style => style.fill === 'none' ? style.stroke : style.fill)""".formatted(drawn);
            assertThat(page.evaluate(colours + ".length").asInt()).isEqualTo(pools.size());
            assertThat(least(page, colours + ".map(colour => contrast(colour, ground))"))
                    .isGreaterThan(DRAWN);
            assertThat(least(
                            page,
                            "((all) => all.flatMap((one, i) => all.slice(i + 1).map(other => difference(one, other))))(%s)"
                                    .formatted(colours)))
                    .as(drawn)
                    .isGreaterThan(ALIKE);
        }
        assertThat(page.evaluate(
                                "new Set([...document.querySelectorAll('.wide .line')].map(line => getComputedStyle(line).strokeDasharray)).size")
                        .asInt())
                .as("patterns of lines")
                .isEqualTo(pools.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1200})
    void labelsCanBeReadAndDoNotTouchAtAnyWidth(int width) throws Exception {
        var page = open(width, 900, false);

        assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(width);
        assertThat(page.evaluate(
                                "Math.min(...[...document.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().height))")
                        .asDouble())
                .isGreaterThan(10);
        assertThat(page.evaluate("""
                        [...document.querySelectorAll('.wide > svg')].flatMap(svg => {
                          const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
                          return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
                              .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
                              .map(([other]) => one + ' touches ' + other));
                        }).join(', ')""").asText()).isEmpty();
        assertThat(page.evaluate("""
                        [...document.querySelectorAll('.wide > svg')].flatMap(svg => {
                          const whole = svg.getBoundingClientRect();
                          return [...svg.querySelectorAll('text, path')].map(part => part.getBoundingClientRect())
                              .filter(box => box.left < whole.left - 1 || box.right > whole.right + 1
                                  || box.top < whole.top - 1 || box.bottom > whole.bottom + 1);
                        }).length""").asInt()).as("parts outside their plot").isZero();
    }

    /** The highest point of the machines, measured on the scale at the left, is close to the number in the plot's label. */
    @Test
    void areasAreAsHighAsWhatTheyStandFor() throws Exception {
        var page = open(1200, 900, false);

        var drawn = page.evaluate("""
                (() => {
                  const section = document.querySelector('section');
                  const svg = section.querySelector('.wide > svg');
                  const marks = [...svg.querySelectorAll('text[text-anchor=end]')].filter(text => text.getBBox().x < 48)
                      .map(text => [Number(text.textContent), text.getBBox().y + text.getBBox().height / 2]);
                  const [low, high] = [marks[0], marks[marks.length - 1]];
                  const top = Math.min(...[...svg.querySelectorAll('.area')].map(area => area.getBBox().y));
                  return (marks[0][1] - top) / (low[1] - high[1]) * (high[0] - low[0]);
                })()""").asDouble();
        var said = page.evaluate("""
                Number(document.querySelector('section .wide > svg').getAttribute('aria-label').match(/at most (\\d+)/)[1])""").asDouble();

        assertThat(said).isGreaterThan(1);
        assertThat(drawn).isBetween(said * 0.9, said * 1.1);
    }

    @ParameterizedTest
    @CsvSource({"1000,1500,false,light", "1000,1500,true,dark"})
    @EnabledIfSystemProperty(named = "trainyard.screenshots", matches = "true")
    void takesThePicturesOfTheDocs(int width, int height, boolean dark, String name) throws Exception {
        var picture = open(width, height, dark).screenshot(width, height);
        assertThat(picture.length).isLessThan(LARGEST_PICTURE);
        Files.write(ROOT.resolve("docs/images/simulation-" + name + ".png"), picture);
    }
}
