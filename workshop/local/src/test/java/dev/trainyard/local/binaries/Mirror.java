package dev.trainyard.local.binaries;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.local.binaries.ReleaseFiles.ReleaseFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A file server with the layout of a mirror of the official addresses. */
final class Mirror implements AutoCloseable {
    private static final byte[] STALL = {};

    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    Mirror() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/mirror/", this::answer);
        server.start();
    }

    DownloadBase base() {
        return DownloadBase.from("http://127.0.0.1:" + server.getAddress().getPort() + "/mirror/");
    }

    /** Publishes the file with its checksum, in the form of the official address. */
    void publish(ReleaseFile file, byte[] content) {
        put(file.file(), content);
        MessageDigest digest = Sha256.newDigest();
        digest.update(content);
        String sum = Sha256.hex(digest);
        String address = file.checksums().toString();
        String text = sum;
        if (address.contains("api.github.com")) {
            text = "{\"assets\": [{\"name\": \"" + file.name() + "\", \"digest\": \"sha256:" + sum + "\"}]}";
        } else if (address.endsWith("SHA256SUMS")) {
            text = sum + "  " + file.name() + "\n";
        }
        put(file.checksums(), text.getBytes(StandardCharsets.UTF_8));
    }

    void put(URI official, byte[] content) {
        files.put(path(official), content);
    }

    void remove(URI official) {
        files.remove(path(official));
    }

    /** Makes the server stall after the headers and the first byte of this file. */
    void stall(URI official) {
        files.put(path(official), STALL);
    }

    void stallAll() {
        files.replaceAll((path, content) -> STALL);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private static String path(URI official) {
        return "/mirror/" + official.getAuthority() + official.getPath();
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] content = files.get(exchange.getRequestURI().getPath());
        if (content == null) {
            exchange.sendResponseHeaders(404, -1);
        } else if (content == STALL) {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write('x');
            exchange.getResponseBody().flush();
            try {
                closing.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        } else {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
        }
        exchange.close();
    }
}
