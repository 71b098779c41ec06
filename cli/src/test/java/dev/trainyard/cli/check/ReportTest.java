package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.check.Finding.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests of the findings as text and as JSON. Rewrite the expected files with -Dtrainyard.update=true. */
class ReportTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("trainyard.root"), "cli", "src", "test", "resources", "check");

    private final List<Finding> findings;

    ReportTest() {
        var world = new CheckFixture();
        world.scaler = Optional.of(CheckFixture.lease(CheckFixture.NOW.minusSeconds(90)));
        world.deployments.get(0).getStatus().setReadyReplicas(1);
        world.deployments.get(2).getSpec().setReplicas(1);
        world.rights = ReadResult.unread("needs the right to create subjectaccessreviews.authorization.k8s.io");
        world.services.get(0).getSpec().getPorts().get(0).setPort(8443);
        findings = world.all().stream()
                .filter(finding -> finding.level() != Level.OK)
                .toList();
    }

    @Test
    void isStableForScripts() throws IOException {
        var json = new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(findings);
        matches("findings.json", json + "\n");
    }

    @Test
    void isALineForEachFinding() throws IOException {
        matches("findings.txt", findings.stream().map(finding -> finding + "\n").collect(Collectors.joining()));
    }

    private static void matches(String name, String text) throws IOException {
        var file = GOLDEN.resolve(name);
        if (Boolean.getBoolean("trainyard.update")) {
            Files.createDirectories(GOLDEN);
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file));
    }
}
