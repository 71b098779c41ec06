package dev.trainyard.image;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Functions that build reproducible layers: all files belong to root, are read-only and have the same time. */
final class Layers {

    /** The modification time of all files. A class archive is made from jars with this time, because the JVM checks the time of jars. */
    static final Instant TIME = Instant.ofEpochSecond(1);

    private static final String ROOT = "0:0";
    private static final FilePermissions READ = FilePermissions.fromOctalString("444");
    private static final FilePermissions RUN = FilePermissions.fromOctalString("555");
    private static final FilePermissions DIRECTORY = FilePermissions.fromOctalString("755");
    private static final FilePermissions SHARED = FilePermissions.fromOctalString("777");

    private Layers() {}

    /** Returns a layer with all files below {@code source}, placed below {@code target}. */
    static FileEntriesLayer tree(String name, Path source, String target) {
        var layer = FileEntriesLayer.builder().setName(name);
        directory(layer, source, target);
        for (var file : Directories.files(source)) {
            add(layer, file, target + "/" + source.relativize(file), Files.isExecutable(file) ? RUN : READ);
        }
        return layer.build();
    }

    /** Returns a layer with the files, all directly in {@code target}. */
    static FileEntriesLayer files(String name, List<Path> sources, String target) {
        var layer = FileEntriesLayer.builder().setName(name);
        for (var file : sources) {
            add(layer, file, target + "/" + file.getFileName(), READ);
        }
        return layer.build();
    }

    static void add(FileEntriesLayer.Builder layer, Path source, String target, FilePermissions permissions) {
        layer.addEntry(source, AbsoluteUnixPath.get(target), permissions, TIME, ROOT);
    }

    /** Adds a program or library of the system. */
    static void addProgram(FileEntriesLayer.Builder layer, Path source, String target) {
        add(layer, source, target, RUN);
    }

    static void addText(FileEntriesLayer.Builder layer, Path source, String target) {
        add(layer, source, target, READ);
    }

    /** Adds a directory that every user may write to, unless the file system is read-only. */
    static void addShared(FileEntriesLayer.Builder layer, Path anyDirectory, String target) {
        add(layer, anyDirectory, target, SHARED);
    }

    private static void directory(FileEntriesLayer.Builder layer, Path source, String target) {
        add(layer, source, target, DIRECTORY);
    }
}
