package dev.trainyard.e2e;

import dev.trainyard.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The output of one run of {@code trainyard check}. */
record CheckRun(int exitCode, String out, String err) {

    /** @param more flags besides {@code --kubeconfig} */
    static CheckRun of(Path kubeconfig, String... more) {
        var out = new StringWriter();
        var err = new StringWriter();
        var arguments = new ArrayList<>(List.of("check", "--kubeconfig", kubeconfig.toString()));
        arguments.addAll(List.of(more));
        int exitCode = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(String[]::new));
        return new CheckRun(exitCode, out.toString(), err.toString());
    }

    /** @param level the level of the lines to return, such as {@code error} */
    List<String> lines(String level) {
        return out.lines().filter(line -> line.startsWith(level)).toList();
    }
}
