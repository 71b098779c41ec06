package dev.trainyard.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A runner of programs of an unpacked image, as in a container engine: with only the image's files, read-only, a {@code /tmp} in memory, and
 * without rights. Needs Linux and namespaces.
 */
record UnpackedContainer(Path root, Path examples) {

    private static final String SCRIPT = """
            set -e
            mkdir -p "$1/proc" "$1/dev" "$1/tmp"
            mount --bind "$1" "$1"
            mount -t proc proc "$1/proc"
            mount --rbind /dev "$1/dev"
            mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
            cp -r "$2" "$1/tmp/examples"
            mount -o remount,ro,bind "$1"
            root=$1; user=$3
            shift 3
            # No exec: the shell stays root, and so keeps the wish to die with its parent, which a change of user clears.
            chroot $user "$root" "$@"
            exit $?
            """;

    /** Starts a process in the container, which is killed with this JVM. Skips the test if namespaces are not available. */
    Process start(List<String> command) throws Exception {
        boolean superuser = "root".equals(System.getProperty("user.name"));
        var unshare = new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork", "--kill-child"));
        if (!superuser) {
            unshare.add("--map-root-user");
        }
        Assumptions.assumeTrue(can(unshare), "namespaces are not to be had here: unshare fails");
        unshare.addAll(List.of("sh", "-c", SCRIPT, "sh", root.toString(), examples.toString()));
        unshare.add(superuser ? "--userspec=%1$d:%1$d".formatted(ImageBuild.USER) : "--userspec=0:0");
        unshare.addAll(command);
        var builder = new ProcessBuilder(unshare).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
        return builder.start();
    }

    private static boolean can(List<String> unshare) throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/unshare"))) {
            return false;
        }
        var probe = new ArrayList<>(unshare);
        probe.add("true");
        var process = new ProcessBuilder(probe).start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }
}
