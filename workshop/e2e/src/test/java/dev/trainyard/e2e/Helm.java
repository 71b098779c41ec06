package dev.trainyard.e2e;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Helm, which renders the chart for tests: the program in {@code TRAINYARD_HELM}, or else the version that {@code workshop/e2e/helm} pins.
 */
final class Helm {

    private static final Path CHART = Path.of(System.getProperty("trainyard.root"), "manifests/chart");

    private final GoTool helm;

    private Helm(GoTool helm) {
        this.helm = helm;
    }

    static Helm find() {
        return new Helm(GoTool.find("workshop/e2e/helm", "helm.sh/helm/v4/cmd/helm", "TRAINYARD_HELM"));
    }

    Path program() {
        return helm.program();
    }

    /** Renders the chart with these values for a cluster of the given version. Helm must succeed. */
    String render(String kubernetes, String namespace, List<String> values) {
        var result = template(kubernetes, namespace, values);
        if (result.exitCode() != 0) {
            throw new AssertionError("helm template with %s: %s".formatted(values, result.output()));
        }
        return result.output();
    }

    /** @param values values in the format of {@code --set}, such as {@code cloud=none} */
    GoTool.Result template(String kubernetes, String namespace, List<String> values) {
        var arguments = new ArrayList<String>(List.of("template", "trainyard", CHART.toString()));
        arguments.addAll(List.of("--namespace", namespace, "--kube-version", "v" + kubernetes));
        values.forEach(value -> arguments.addAll(List.of("--set", value)));
        return run(arguments);
    }

    GoTool.Result run(List<String> arguments) {
        return helm.run(arguments);
    }
}
