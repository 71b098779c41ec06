package dev.trainyard.runtime.server;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;

/** A factory for the Vert.x instance of a component. */
public final class ServerVertx {

    private ServerVertx() {}

    /**
     * Creates an instance without a file cache. A cache would be useless, because no files are served. A killed process would also leave
     * the cache behind.
     */
    public static Vertx open() {
        return Vertx.vertx(new VertxOptions()
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }
}
