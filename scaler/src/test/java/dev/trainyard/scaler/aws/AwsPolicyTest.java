package dev.trainyard.scaler.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is asked of AWS is what the shipped policy allows, no more and no less. */
class AwsPolicyTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Pattern ACTION = Pattern.compile("\"((autoscaling|ec2|sts):[A-Z][A-Za-z]+)\"");

    @Test
    void thePolicyAllowsExactlyWhatWasAsked() throws Exception {
        assertThat(asked()).isEqualTo(unprefixed(allowed()));
    }

    @Test
    void everyRequestInTheCodeWasMade() throws Exception {
        var source = Files.readString(ROOT.resolve("scaler/src/main/java/dev/trainyard/scaler/aws/AwsCalls.java"));
        var inCode = new TreeSet<String>();
        var matcher = ACTION.matcher(source);
        while (matcher.find()) {
            inCode.add(matcher.group(1));
        }
        assertThat(inCode).isEqualTo(allowed());
    }

    /** Everything that a pool's life and an import ask for. */
    private static Set<String> asked() throws Exception {
        try (var stage = new AwsStage()) {
            stage.stock(3);
            stage.provider().grow(stage.pool(), 0, 5);
            stage.settle();
            var state = stage.provider().tend(stage.pool(), stage.provider().read(stage.pool()));
            stage.provider().withdraw(stage.pool(), 5, 3);
            stage.clock.move(Duration.ofSeconds(5));
            stage.provider().terminate(stage.pool(), state.machines());
            stage.group.tag("KubernetesCluster", "c").tag("Role", "worker");
            stage.aws
                    .group("old")
                    .tag("KubernetesCluster", "c")
                    .tag("Role", "worker")
                    .source("<LaunchConfigurationName>old</LaunchConfigurationName>");
            try (var calls = new AwsCalls(AwsStage.REGION, stage.settings())) {
                assertThat(Discovery.in(AwsStage.REGION, "c", calls).proposals())
                        .hasSize(2);
            }
            return stage.aws.calls().keySet();
        }
    }

    private static Set<String> allowed() throws IOException {
        var allowed = new TreeSet<String>();
        for (JsonNode statement : new ObjectMapper()
                .readTree(ROOT.resolve("manifests/aws/iam-policy.json").toFile())
                .get("Statement")) {
            statement.get("Action").forEach(action -> allowed.add(action.asText()));
        }
        return allowed;
    }

    private static Set<String> unprefixed(Set<String> actions) {
        var names = new TreeSet<String>();
        actions.forEach(action -> names.add(action.substring(action.indexOf(':') + 1)));
        return names;
    }
}
