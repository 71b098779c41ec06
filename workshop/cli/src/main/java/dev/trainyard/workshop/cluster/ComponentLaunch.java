package dev.trainyard.workshop.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.local.process.SupervisedProcess.Launch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command that starts a component. Restarts use the same command and ports.
 *
 * @param environment the environment variables to add to those of this process
 * @param port the port of the HTTPS server, a free port that is chosen once
 * @param operationsPort the port of the plain HTTP server, also a free port that is chosen once
 */
record ComponentLaunch(
        InstalledComponent part,
        int port,
        int operationsPort,
        List<String> command,
        Map<String, String> environment,
        Path logFile) {

    static ComponentLaunch of(
            InstalledComponent part,
            ControlPlane controlPlane,
            Path tlsDirectory,
            String scalerUrl,
            TestClusterOptions options,
            Map<String, String> environment) {
        var kubeconfig = controlPlane.kubeconfigFor(
                "system:serviceaccount:%s:%s".formatted(Names.NAMESPACE, part.serviceAccount()),
                List.of("system:serviceaccounts", "system:serviceaccounts:" + Names.NAMESPACE));
        int port = FreePort.onLoopback();
        int operationsPort = FreePort.onLoopback();
        var command = new ArrayList<>(ServerJvm.command(part));
        command.add(1, "-Xmx" + part.heapMebibytes() + "m");
        command.addAll(1, options.jvmOptions());
        command.addAll(List.of(
                "dev.trainyard.cli.Main",
                part.command(),
                "--kubeconfig=" + kubeconfig,
                "--tls-dir=" + tlsDirectory,
                "--listen=127.0.0.1:" + port,
                "--operations-listen=127.0.0.1:" + operationsPort));
        switch (part) {
            case WEBHOOK -> command.add("--webhook-configuration=trainyard");
            case EXTENDER -> command.add("--scaler-url=" + scalerUrl);
            // The identity is fixed, so that a restarted scaler gets the Lease of its killed predecessor at once, and
            // need not wait until the Lease expires.
            case SCALER ->
                command.addAll(List.of(
                        "--scan-interval=" + Durations.format(options.scanInterval()),
                        "--batch-window=400ms",
                        "--identity=yard"));
        }
        return new ComponentLaunch(
                part,
                port,
                operationsPort,
                List.copyOf(command),
                environment,
                controlPlane.logs().resolve(part.command() + ".log"));
    }

    String url() {
        return "https://127.0.0.1:" + port;
    }

    String operationsUrl() {
        return "http://127.0.0.1:" + operationsPort;
    }

    SupervisedProcess start() {
        return SupervisedProcess.start(new Launch(part.command(), command, environment, logFile));
    }
}
