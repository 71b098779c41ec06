package dev.trainyard.bench.process;

import dev.trainyard.local.process.WorkDirectory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The work directory and the server processes of a benchmark. On close and on JVM shutdown, the processes are stopped and the directory is
 * removed. Thread-safe.
 */
public final class BenchProcesses implements AutoCloseable {

    private final WorkDirectory directory =
            WorkDirectory.create(Path.of(System.getProperty("java.io.tmpdir")), "trainyard-bench");
    private final Deque<Server> servers = new ArrayDeque<>(); // guarded by this
    private final Thread hook = new Thread(this::clear, "bench-shutdown");
    private boolean closed; // guarded by this

    public BenchProcesses() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Creates a directory of this name, or returns the existing one. */
    public Path directory(String name) {
        return directory.directory(name);
    }

    /** Starts a server with {@link Server#start}. Closing this object stops the server, unless the caller did so before. */
    public Server start(String name, List<String> command, String readyWords) {
        var log = directory.directory("logs").resolve(name + ".log");
        var server = Server.start(name, command, readyWords, log);
        synchronized (this) {
            if (!closed) {
                servers.push(server);
                return server;
            }
        }
        server.close();
        throw new BenchException("the benchmark was closed while a server was starting");
    }

    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, so the hook has run or is running.
        }
    }

    private synchronized void clear() {
        if (!closed) {
            closed = true;
            servers.forEach(Server::close);
            directory.close();
        }
    }
}
