package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.aws.AwsEmulator;
import dev.trainyard.emulator.aws.AwsFault;
import dev.trainyard.emulator.aws.EmulatedGroup;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code trainyard import aws} in a separate process, whose environment names an emulated AWS. */
class AwsImportTest {

    private static final String CLUSTER = "k8s.example.com";
    private static final String KOPS_NODE = "k8s.io/role/node";

    @TempDir
    private Path directory;

    private final AwsEmulator aws = AwsEmulator.startStill(Clock.systemUTC());

    private record Ended(int exitCode, String out, String err) {}

    @BeforeEach
    void groups() {
        group("heavy-spot").protectNew(true).tag("trainyard-cluster", "k8s");
        group("heavy-ondemand").onDemand().bounds(1, 7).tag("kube/team", "vision");
        group("masters").tag("k8s.io/role/master", "1");
        aws.group("of-another-cluster").tag("KubernetesCluster", "other.example.com");
        group("minions").tag("Role", "minion");
    }

    private EmulatedGroup group(String name) {
        var group = aws.group(name + "." + CLUSTER)
                .tag("KubernetesCluster", CLUSTER)
                .tag("kops.k8s.io/instancegroup", name);
        return name.startsWith("heavy") ? group.tag(KOPS_NODE, "1") : group;
    }

    @AfterEach
    void close() {
        aws.close();
    }

    @Test
    void writesPoolsForAClustersGroupsAndSaysWhichItLeftOutAndWhy() throws Exception {
        var ended = importAws(CLUSTER);

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        var catalogue = catalogue(ended.out());
        assertThat(catalogue.problems()).isEmpty();
        assertThat(catalogue.pools()).containsOnlyKeys("heavy-spot", "heavy-ondemand");
        assertThat(catalogue.pools().get("heavy-spot"))
                .returns(CapacityType.SPOT, Pool::capacityType)
                .returns(1L, Pool::promisedGpus)
                .returns(20, Pool::max);
        assertThat(catalogue.pools().get("heavy-ondemand"))
                .returns(CapacityType.ON_DEMAND, Pool::capacityType)
                .returns(1, Pool::min)
                .returns(7, Pool::max);
        assertThat(catalogue.pools().get("heavy-ondemand").ownLabels())
                .containsEntry("team", "vision")
                .containsEntry("kops.k8s.io/instancegroup", "heavy-ondemand")
                .containsEntry("node.kubernetes.io/instance-type", "p3.2xlarge")
                .containsEntry("topology.kubernetes.io/zone", "eu-west-1a")
                .as("nobody knows whether nodes have them")
                .doesNotContainKey("aws/type");
        assertThat(catalogue.tiers().values())
                .singleElement()
                .satisfies(tier -> assertThat(tier.pools())
                        .extracting(Pool::name)
                        .containsExactly("heavy-spot", "heavy-ondemand"));
        assertThat(ended.err().lines())
                .contains(
                        "Auto Scaling group masters.k8s.example.com: left out: its tag k8s.io/role/master marks it as not for workloads; see docs/troubleshooting.md#group-skipped",
                        "Auto Scaling group minions.k8s.example.com: left out: its tag Role is 'minion', expected worker or kubernetes-minion; see docs/troubleshooting.md#group-skipped",
                        "Auto Scaling group of-another-cluster: left out: its tag KubernetesCluster is 'other.example.com', expected 'k8s.example.com'; see docs/troubleshooting.md#group-skipped")
                .anyMatch(
                        line -> line.startsWith("Auto Scaling group heavy-ondemand.k8s.example.com: AWS may terminate")
                                && line.contains("in the group"))
                .noneMatch(line -> line.startsWith("Auto Scaling group heavy-spot.k8s.example.com: AWS may terminate"))
                .contains(
                        "Auto Scaling group heavy-ondemand.k8s.example.com: manifests/aws/iam-policy.json allows no change of the group: add the tag trainyard-cluster with the value of the role's tag")
                .noneMatch(line -> line.startsWith("Auto Scaling group heavy-spot") && line.contains("iam-policy"))
                .anyMatch(line -> line.contains("aws/class=p") && line.contains("spec.promise.labels"));
        assertThat(aws.calls().keySet()).as("it only looks").allMatch(action -> action.startsWith("Describe"));
    }

    @Test
    void aClusterWithoutGroupsEndsWithTheReasonsAlone() throws Exception {
        var ended = importAws("nobody.example.com");

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().lines()).hasSize(5).allMatch(line -> line.contains(": left out: "));
    }

    @Test
    void whoMayNotLookIsToldWhatToAllow() throws Exception {
        aws.strike(AwsFault.error(403, "UnauthorizedOperation", "You are not authorized")
                .on("DescribeLaunchTemplateVersions"));
        var ended = importAws(CLUSTER);

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("trainyard: AWS: ec2:DescribeLaunchTemplateVersions: UnauthorizedOperation")
                .contains("allow ec2:DescribeLaunchTemplateVersions, as manifests/aws/iam-policy.json does");
        assertThat(ended.err().lines()).hasSize(1);
    }

    private Ended importAws(String cluster) throws IOException, InterruptedException {
        var authority = Files.writeString(directory.resolve("ca.pem"), aws.authorityPem());
        var out = directory.resolve("out").toFile();
        var err = directory.resolve("err").toFile();
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                Main.class.getName(),
                "import",
                "aws",
                "--region",
                AwsEmulator.REGION,
                "--cluster-name",
                cluster);
        var builder =
                new ProcessBuilder(new ArrayList<>(command)).redirectOutput(out).redirectError(err);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(aws.environment(authority));
        var process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        return new Ended(process.exitValue(), text(out), text(err));
    }

    private static String text(File file) throws IOException {
        return Files.readString(file.toPath());
    }

    private Catalogue catalogue(String objects) throws IOException {
        var files = Files.createDirectories(directory.resolve("objects"));
        Files.writeString(files.resolve("objects.yaml"), objects);
        return FileConfiguration.of(ResourceFiles.read(files)).current();
    }
}
