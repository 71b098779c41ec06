package dev.trainyard.scaler.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.ServerVertx;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The status page in a browser. {@code -Dtrainyard.screenshots=true} takes the pictures of {@code docs/observing.md} anew,
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
                .contains("There is no TrainingPool that can be used.")
                .contains("No pod waits for room.")
                .contains("Nothing was decided since");
        assertThat(words(Scenes.standsBy()))
                .contains("This scaler stands by.")
                .contains("trainyard-scaler-6c9f7d5b8-q8zzw leads")
                .doesNotContain("There is no TrainingPool");
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

    @ParameterizedTest
    @CsvSource({"360,busy", "360,hostile", "360,large", "860,busy", "1280,large"})
    void nothingSticksOutToTheSide(int width, String scene) throws Exception {
        var board = scene.equals("busy")
                ? Scenes.busy()
                : scene.equals("hostile") ? Scenes.hostile() : Scenes.large(500, 50);
        try (var server = serve(board)) {
            var page = chromium.page(width, 740, false).open(url(server));
            page.evaluate("document.querySelector('.pools .name button').click()");
            page.evaluate(
                    "new Promise(done => { const look = () => document.querySelector('.more td') ? done(true) : setTimeout(look, 10);"
                            + " look(); })");
            assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(width);
            assertThat(page.evaluate(
                                    "[...document.querySelectorAll('main *')].filter(e => !e.closest('.sr, thead, svg, .inner, .skip') &&"
                                            + " (e.getBoundingClientRect().right > innerWidth + 1 || e.matches('td') && e.scrollWidth > e.clientWidth + 1)).map(e => e.outerHTML.slice(0, 80)).join('\\n')")
                            .asText())
                    .isEmpty();
        }
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

    private static String words(Board board) throws Exception {
        try (var server = serve(board)) {
            return chromium.page(1200, 900, false)
                    .open(url(server))
                    .evaluate("document.body.innerText")
                    .asText();
        }
    }

    private static PageServer serve(Board board) {
        return PageServer.start(vertx, new ListenAddress("127.0.0.1", 0), board);
    }

    private static String url(PageServer server) {
        return "http://127.0.0.1:" + server.port() + "/";
    }
}
