package dev.trainyard.scaler.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.ServerVertx;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the status page in a browser. {@code -Dtrainyard.screenshots=true} renews the pictures of {@code docs/observing.md}, and
 * {@code -Dtrainyard.measure=true} prints when a page of 5,000 nodes is painted.
 */
class StatusPageTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final int LARGEST_PICTURE = 150_000;

    @TempDir
    static Path profile;

    private static Vertx vertx;
    private static Chromium chromium;

    @BeforeAll
    static void start() throws Exception {
        var executable = Chromium.find();
        assumeThat(executable)
                .as(
                        "there is no chromium on the PATH, so that the status page is not tried in a browser; on Debian: apt-get install"
                                + " chromium")
                .isPresent();
        vertx = ServerVertx.open();
        chromium = Chromium.start(executable.get(), profile);
    }

    @AfterAll
    static void stop() throws Exception {
        if (chromium != null) {
            chromium.close();
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whatOthersNameIsTextAndNeverMarkup() throws Exception {
        try (var server = serve(Scenes.hostile())) {
            var page = chromium.page(1200, 900, false).open(url(server));
            page.evaluate("document.querySelectorAll('.pools .name button').forEach(button => button.click())");
            page.evaluate(
                    "new Promise(done => { const look = () => document.querySelector('.more .inner') ? done(true) :"
                            + " setTimeout(look, 10); look(); })");
            assertThat(page.evaluate("typeof hacked").asText()).isEqualTo("undefined");
            assertThat(page.evaluate(
                                    "document.querySelectorAll('main img, main script, main title:not(svg title), main b:not(.states b,"
                                            + " .outcomes b), [onmouseover], [onerror]').length")
                            .asInt())
                    .isZero();
            var text = page.evaluate("document.body.innerText").asText();
            assertThat(text)
                    .contains("<img src=x onerror=hacked=1>")
                    .contains("<script>hacked=1</script>")
                    .contains("</title><b>bold</b>");
        }
    }

    @Test
    void saysInWordsWhatIsNotThere() throws Exception {
        assertThat(words(Scenes.empty()))
                .contains("There is no valid TrainingPool.")
                .contains("No pod is pending.")
                .contains("No decisions since");
        assertThat(words(Scenes.standsBy()))
                .contains("This scaler stands by.")
                .contains("trainyard-scaler-6c9f7d5b8-q8zzw leads")
                .doesNotContain("There is no valid TrainingPool");
        assertThat(words(Scenes.silent()))
                .contains("No cloud answers.")
                .contains("cannot be read: auth: the client secret has expired");
    }

    @Test
    void saysSoWhenTheScalerIsGoneAndKeepsWhatItSaid() throws Exception {
        var server = serve(Scenes.busy());
        var page = chromium.page(1200, 900, false).open(url(server));
        server.close();
        page.evaluate("document.getElementById('pause').click(); document.getElementById('pause').click()");
        page.evaluate(
                "new Promise(done => { const look = () => document.querySelector('.notice.bad strong')?.textContent.startsWith('The"
                        + " scaler') ? done(true) : setTimeout(look, 10); look(); })");
        assertThat(page.evaluate("document.body.innerText").asText())
                .contains("The scaler does not answer.")
                .contains("light-spot");
    }

    @Test
    void saysWhatIsNotKnownAndWhatIsNotInTheSum() throws Exception {
        try (var server = serve(Scenes.unseenForAWhile())) {
            var page = chromium.page(1200, 900, false).open(url(server));
            var text = page.evaluate("document.body.innerText").asText();
            assertThat(text)
                    .contains("history of the last 4h30m, not known for 3h of it")
                    .contains("without 3 machines of 1 pool that has no price");
            // Three readings that hold for half an hour each.
            assertThat(page.evaluate("document.querySelectorAll('#machines-spark .s-unknown').length")
                            .asInt())
                    .isEqualTo(3);
            assertThat(page.evaluate(
                                    "document.querySelector('#machines-spark .s-line').getAttribute('d').split('M').length - 1")
                            .asInt())
                    .isEqualTo(3);
            assertThat(page.evaluate("document.querySelector('#machines-spark svg').getAttribute('aria-label')")
                            .asText())
                    .endsWith("now not known, not known for 3h of it");
        }
        assertThat(words(Scenes.silent())).contains("? an hour").doesNotContain("0.00 an hour");
    }

    @Test
    void goesOnAskingAndSaysSoWhenItCannotDraw() throws Exception {
        try (var server = serve(Scenes.busy())) {
            var page = chromium.page(1200, 900, false).open(url(server));
            page.evaluate("window.looks = 0; window.broken = true; window.later = setTimeout; window.asked = fetch;"
                    + " setTimeout = (what, after) => later(what, Math.min(after, 20));"
                    + " fetch = async (...how) => { const status = await (await asked(...how)).json(); looks++;"
                    + " if (broken) { status.pools[3].history = 7; status.waiting = null; } return new Response(JSON.stringify(status)); };"
                    + " document.getElementById('pause').click(); document.getElementById('pause').click()");
            page.evaluate(
                    "new Promise(done => { const look = () => looks > 3 ? done(true) : later(look, 10); look(); })");
            assertThat(page.evaluate("document.getElementById('notices').innerText")
                            .asText())
                    .contains("This page cannot show all data of the scaler.")
                    .contains("pool: ")
                    .contains("waiting: ");
            assertThat(page.evaluate("document.body.innerText").asText()).contains("light-spot", "the latest");

            page.evaluate("broken = false; new Promise(done => { const look = () =>"
                    + " document.getElementById('notices').innerText.includes('cannot show all data') ? later(look, 10) :"
                    + " done(true); look(); })");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "360,busy,false",
        "360,hostile,false",
        "360,large,false",
        "360,large,true",
        "860,busy,false",
        "1280,large,false"
    })
    void nothingSticksOutToTheSideAndNothingIsCut(int width, String scene, boolean dark) throws Exception {
        var board = scene.equals("busy")
                ? Scenes.busy()
                : scene.equals("hostile") ? Scenes.hostile() : Scenes.large(5000, 50);
        try (var server = serve(board)) {
            var page = chromium.page(width, 740, dark).open(url(server));
            openPools(page, 1);
            assertThat(page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
                            .asBoolean())
                    .isEqualTo(dark);
            assertThat(page.evaluate(
                                    "[...document.querySelectorAll('main *')].filter(e => !e.closest('.sr, thead, svg, .inner, .skip') &&"
                                            + " (e.getBoundingClientRect().right > innerWidth + 1 || e.matches('td') && e.scrollWidth > e.clientWidth + 1)).map(e => e.outerHTML.slice(0, 80)).join('\\n')")
                            .asText())
                    .isEmpty();
            assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(width);
            // Two lines of a state's text are shown; opening its row shows all of it.
            assertThat(page.evaluate(
                                    "[...document.querySelectorAll('body *')].filter(e => !e.closest('.sr, thead, svg, .skip') && !e.matches('.state') &&"
                                            + " getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 80)).join('\\n')")
                            .asText())
                    .isEmpty();
        }
    }

    @Test
    void everyRuleOfItsStyleIsUsed() throws Exception {
        var unused = new TreeSet<String>();
        boolean first = true;
        for (var board : List.of(
                Scenes.busy(),
                Scenes.hostile(),
                Scenes.empty(),
                Scenes.standsBy(),
                Scenes.onlyLooks(),
                Scenes.silentAfterWork())) {
            try (var server = serve(board)) {
                var page = chromium.page(1200, 900, false).open(url(server));
                openPools(page, 9);
                var here = new TreeSet<String>();
                page.evaluate(
                                "(() => { const states = /::[\\w-]+|:(hover|focus-visible|focus)/g;"
                                        + " const all = rules => [...rules].flatMap(rule => rule.selectorText ? rule.selectorText.split(',') : all(rule.cssRules));"
                                        + " return all(document.styleSheets[0].cssRules).map(selector => selector.trim())"
                                        + ".filter(selector => !document.querySelector(selector.replace(states, '') || '*')); })()")
                        .forEach(selector -> here.add(selector.asText()));
                if (first) {
                    unused.addAll(here);
                }
                unused.retainAll(here);
                first = false;
            }
        }
        assertThat(unused).isEmpty();
        var style = new String(
                Objects.requireNonNull(PageServer.class.getResourceAsStream("page.css"))
                        .readAllBytes(),
                UTF_8);
        assertThat(Pattern.compile("(--[\\w-]+):")
                        .matcher(style)
                        .results()
                        .map(found -> "var(%s)".formatted(found.group(1))))
                .isNotEmpty()
                .allSatisfy(use -> assertThat(style).contains(use));
    }

    /** Opens the first pools, if there are any, and waits for their machines. */
    private static void openPools(Chromium.Page page, int count) throws Exception {
        page.evaluate(
                "[...document.querySelectorAll('.pools .name button')].slice(0, %d).forEach(button => button.click())"
                        .formatted(count));
        page.evaluate(
                "new Promise(done => { const look = () => document.querySelectorAll('.more:not([hidden]) td').length >="
                        + " document.querySelectorAll('.more:not([hidden])').length ? done(true) : setTimeout(look, 10); look(); })");
    }

    @Test
    void everythingCanBeReachedAndDoneByTheKeyboard() throws Exception {
        try (var server = serve(Scenes.busy())) {
            var page = chromium.page(1200, 900, false).open(url(server));
            var reached = new ArrayList<String>();
            for (int i = 0; i < 16; i++) {
                page.press("Tab");
                reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent")
                        .asText());
                assertThat(page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                                .asText())
                        .as("who has the focus can be seen: %s", reached)
                        .isNotEqualTo("none");
                if (reached.get(reached.size() - 1).equals("heavy-spot")) {
                    page.press("Enter");
                    page.evaluate(
                            "new Promise(done => { const look = () => document.querySelector('.more .inner') ? done(true) :"
                                    + " setTimeout(look, 10); look(); })");
                }
            }
            assertThat(reached)
                    .startsWith("Skip to the pools", "pause", "filter")
                    .contains("heavy-spot", "waiting-table");
            assertThat(page.evaluate("document.querySelector('[aria-expanded=true]').textContent")
                            .asText())
                    .isEqualTo("heavy-spot");
            assertThat(page.evaluate("document.querySelector('.more .inner').innerText")
                            .asText())
                    .contains("heavy-spot-0000");
        }
    }

    @Test
    void loadsNothingFromElsewhere() throws Exception {
        try (var server = serve(Scenes.hostile())) {
            var page = chromium.page(1200, 900, false).open(url(server));
            assertThat(page.evaluate(
                                    "performance.getEntriesByType('resource').filter(entry => !entry.name.startsWith(location.origin + '/'))"
                                            + ".map(entry => entry.name).join(' ')")
                            .asText())
                    .isEmpty();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "trainyard.measure", matches = "true")
    void measuresWhenALargeClusterIsPainted() throws Exception {
        try (var server = serve(Scenes.large(5000, 50))) {
            for (int i = 0; i < 5; i++) {
                var page = chromium.page(1280, 900, false).open(url(server));
                var times = page.evaluate(
                        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(["
                                + "...performance.getEntriesByType('paint'), ...performance.getEntriesByName('trainyard-drawn')]"
                                + ".map(entry => `${entry.name} ${Math.round(entry.startTime)} ms`).join(', ')))))");
                System.out.println("5,000 nodes, 50 pools: " + times.asText());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1200,760,false,wide-light",
        "1200,760,true,wide-dark",
        "360,1100,false,narrow-light",
        "360,1100,true,narrow-dark"
    })
    @EnabledIfSystemProperty(named = "trainyard.screenshots", matches = "true")
    void takesThePicturesOfTheDocs(int width, int height, boolean dark, String name) throws Exception {
        try (var server = serve(Scenes.busy())) {
            var page = chromium.page(width, height, dark).open(url(server));
            var picture = page.screenshot(width, height);
            assertThat(picture.length).isLessThan(LARGEST_PICTURE);
            var directory = Files.createDirectories(ROOT.resolve("docs/images"));
            Files.write(directory.resolve("status-page-" + name + ".png"), picture);
        }
    }

    private static String words(StatusPageState board) throws Exception {
        try (var server = serve(board)) {
            return chromium.page(1200, 900, false)
                    .open(url(server))
                    .evaluate("document.body.innerText")
                    .asText();
        }
    }

    private static PageServer serve(StatusPageState board) {
        return PageServer.start(vertx, new ListenAddress("127.0.0.1", 0), board);
    }

    private static String url(PageServer server) {
        return "http://127.0.0.1:" + server.port() + "/";
    }
}
