package dev.trainyard.scaler.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless Chromium, controlled through the DevTools protocol. Only one thread may use it. */
public final class Chromium implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String READY = "DevTools listening on ";
    private static final int SECONDS = 60;

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final Map<String, List<String>> asked = new ConcurrentHashMap<>();

    private Chromium(Process process, String url) throws Exception {
        this.process = process;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(url), new Listener())
                .get(SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the executable of Debian's package {@code chromium}, or another one on the PATH. */
    public static Optional<Path> find() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(directory -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts the browser.
     *
     * @param profile an empty directory
     */
    public static Chromium start(Path executable, Path profile) throws Exception {
        // CI runs the browser as root, where the sandbox does not work. The browser loads only this project's own page.
        var command = List.of(
                executable.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank");
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("TMPDIR", profile.toString()); // the browser leaves a temporary directory behind
        var process = builder.start();
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        var said = new ArrayList<String>();
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                var drain = new Thread(() -> output.lines().forEach(ignored -> {}), "chromium-output");
                drain.setDaemon(true);
                drain.start();
                return new Chromium(process, line.substring(READY.length()).strip());
            }
            said.add(line);
        }
        throw new IOException("chromium did not start: " + said);
    }

    /** A tab. */
    public final class Page {
        private final String session;

        private Page(String session) {
            this.session = session;
        }

        /** Opens the address; returns once the page's first data is drawn. */
        Page open(String url) throws Exception {
            return open(url, "document.documentElement?.dataset.drawn");
        }

        /**
         * Opens the address.
         *
         * @param ready an expression that is true once the page is complete
         */
        public Page open(String url, String ready) throws Exception {
            call(session, "Page.enable", Map.of());
            call(session, "Network.enable", Map.of());
            call(session, "Page.navigate", Map.of("url", url));
            evaluate("new Promise(done => { const look = () => %s ? done(true) : setTimeout(look, 10); look(); })"
                    .formatted(ready));
            return this;
        }

        /** Returns the addresses that this tab requested, including the page's own. */
        public List<String> requests() {
            return asked.getOrDefault(session, List.of());
        }

        /** Returns the value of a JavaScript expression. If the value is a promise, waits for its result. */
        public JsonNode evaluate(String expression) throws Exception {
            for (int attempt = 0; ; attempt++) {
                try {
                    var answer = call(
                            session,
                            "Runtime.evaluate",
                            Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
                    if (answer.has("exceptionDetails")) {
                        throw new IOException(answer.get("exceptionDetails").toString());
                    }
                    return answer.at("/result/value");
                } catch (Gone e) { // the call came while the address was being opened
                    if (attempt == 5) {
                        throw e;
                    }
                }
            }
        }

        /** Presses a key, such as {@code Tab} or {@code Enter}. */
        void press(String key) throws Exception {
            var codes = Map.of("Tab", 9, "Enter", 13);
            for (var type : List.of("keyDown", "keyUp")) {
                var event = JSON.createObjectNode()
                        .put("type", type)
                        .put("key", key)
                        .put("code", key);
                event.put("windowsVirtualKeyCode", codes.get(key));
                if (key.equals("Enter") && type.equals("keyDown")) {
                    event.put("text", "\r");
                }
                call(session, "Input.dispatchKeyEvent", event);
            }
        }

        /** Returns an image of the page from its top, as a PNG. */
        public byte[] screenshot(int width, int height) throws Exception {
            var clip = Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1);
            var answer = call(session, "Page.captureScreenshot", Map.of("format", "png", "clip", clip));
            return Base64.getDecoder().decode(answer.get("data").asText());
        }
    }

    /** Opens a new tab of that size, in pixels. */
    public Page page(int width, int height, boolean dark) throws Exception {
        var target =
                call("", "Target.createTarget", Map.of("url", "about:blank")).get("targetId");
        var session = call("", "Target.attachToTarget", Map.of("targetId", target.asText(), "flatten", true))
                .get("sessionId")
                .asText();
        call(
                session,
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        var scheme = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        call(session, "Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
        return new Page(session);
    }

    private JsonNode call(String session, String method, Object parameters) throws Exception {
        int id = ids.incrementAndGet();
        var answer = new CompletableFuture<JsonNode>();
        answers.put(id, answer);
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        socket.sendText(message.toString(), true).get(SECONDS, TimeUnit.SECONDS);
        var received = answer.get(SECONDS, TimeUnit.SECONDS);
        if (received.has("error")) {
            var error = received.at("/error/message").asText();
            throw error.contains("context was destroyed") || error.contains("navigated")
                    ? new Gone(error)
                    : new IOException(method + ": " + error);
        }
        return received.get("result");
    }

    private static final class Gone extends IOException {
        private static final long serialVersionUID = 1;

        Gone(String message) {
            super(message);
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                take(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedStage(null);
        }

        private void take(String message) {
            try {
                var received = JSON.readTree(message);
                if (received.path("method").asText().equals("Network.requestWillBeSent")) {
                    asked.computeIfAbsent(received.path("sessionId").asText(), session -> new CopyOnWriteArrayList<>())
                            .add(received.at("/params/request/url").asText());
                }
                var waiting = answers.remove(received.path("id").asInt());
                if (waiting != null) {
                    waiting.complete(received);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Stops the browser. The profile may be removed afterwards, since no process writes into it any more. */
    @Override
    public void close() {
        socket.abort();
        var processes = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        processes.forEach(ProcessHandle::destroyForcibly);
        processes.forEach(one -> one.onExit().join());
    }
}
