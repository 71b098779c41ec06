package dev.trainyard.runtime.server;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;

/** The Vert.x of a component. */
public final class ServerVertx {

    private ServerVertx() {}

    /** Opens one without a file cache: nothing is served from files, and a process that is killed would leave its cache behind. */
    public static Vertx open() {
        return Vertx.vertx(new VertxOptions()
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }
}
