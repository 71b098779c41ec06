package dev.trainyard.image;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Layers in which all belongs to root, nobody may write, and all times are one: the same files make the same layer. */
final class Layers {

    /** Of all files. The JVM checks that of jars, so archives are made with it, too. */
    static final Instant TIME = Instant.ofEpochSecond(1);

    private static final String ROOT = "0:0";
    private static final FilePermissions READ = FilePermissions.fromOctalString("444");
    private static final FilePermissions RUN = FilePermissions.fromOctalString("555");
    private static final FilePermissions DIRECTORY = FilePermissions.fromOctalString("755");
    private static final FilePermissions SHARED = FilePermissions.fromOctalString("777");

    private Layers() {}

    /** All files below {@code source}, at {@code target}. */
    static FileEntriesLayer tree(String name, Path source, String target) {
        var layer = FileEntriesLayer.builder().setName(name);
        directory(layer, source, target);
        for (var file : Directories.files(source)) {
            add(layer, file, target + "/" + source.relativize(file), Files.isExecutable(file) ? RUN : READ);
        }
        return layer.build();
    }

    /** Files, side by side in {@code target}. */
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

    /** A program or library of the system. */
    static void addProgram(FileEntriesLayer.Builder layer, Path source, String target) {
        add(layer, source, target, RUN);
    }

    static void addText(FileEntriesLayer.Builder layer, Path source, String target) {
        add(layer, source, target, READ);
    }

    /** Where anybody may write, if the file system can be written at all. */
    static void addShared(FileEntriesLayer.Builder layer, Path anyDirectory, String target) {
        add(layer, anyDirectory, target, SHARED);
    }

    private static void directory(FileEntriesLayer.Builder layer, Path source, String target) {
        add(layer, source, target, DIRECTORY);
    }
}
