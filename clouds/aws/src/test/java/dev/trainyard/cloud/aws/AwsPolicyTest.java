package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shipped policy: it allows exactly the actions that are used. */
class AwsPolicyTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final IamPolicy POLICY = IamPolicy.shipped();
    private static final Pattern ACTION = Pattern.compile("\"((autoscaling|ec2|sqs|sts):[A-Z][A-Za-z]+)\"");

    @Test
    void thePolicyAllowsExactlyWhatWasAsked() throws Exception {
        assertThat(asked()).isEqualTo(unprefixed(POLICY.actionsOnPools()));
    }

    @Test
    void everyRequestInTheCodeWasMade() throws Exception {
        var source = Files.readString(ROOT.resolve("clouds/aws/src/main/java/dev/trainyard/cloud/aws/AwsCalls.java"));
        var inCode = new TreeSet<String>();
        var matcher = ACTION.matcher(source);
        while (matcher.find()) {
            inCode.add(matcher.group(1));
        }
        assertThat(inCode).isEqualTo(POLICY.actions());
    }

    @Test
    void aGroupOfTheSameClusterIsChangedWithinThePolicy() throws Exception {
        try (var stage = new AwsStage()) {
            stage.aws.strike(POLICY);
            stage.group.tag("trainyard-cluster", "mine");
            stage.provider().grow(stage.pool(), 0, 3);
            stage.settle();
            var state = stage.provider().tend(stage.pool(), stage.provider().read(stage.pool()));
            assertThat(state.warnings()).isEmpty();
            stage.provider().grow(stage.pool(), 3, 5);
            stage.provider().withdraw(stage.pool(), 5, 3);
            stage.provider().terminate(stage.pool(), state.machines());
            assertThat(stage.target()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"trainyard-cluster, other", "trainyard, mine", "trainyard.dev/pool, mine"})
    void aGroupOfAnotherClusterOrOfNoneIsReadAndNotChanged(String tag, String value) throws Exception {
        try (var stage = new AwsStage()) {
            stage.group.tag(tag, value).resize(3);
            stage.settle();
            stage.aws.strike(POLICY);
            var state = stage.provider().tend(stage.pool(), stage.provider().read(stage.pool()));
            assertThat(state.machines()).hasSize(3);
            assertThat(state.warnings()).anyMatch(warning -> warning.contains(remedy("SetInstanceProtection")));
            assertThat(refusal(() -> stage.provider().grow(stage.pool(), 3, 5)))
                    .contains("is not authorized to perform: autoscaling:SetDesiredCapacity on resource")
                    .endsWith(remedy("SetDesiredCapacity"));
            assertThat(refusal(() -> stage.provider().terminate(stage.pool(), state.machines())))
                    .endsWith(remedy("TerminateInstanceInAutoScalingGroup"));
            assertThat(stage.target()).isEqualTo(3);
            assertThat(stage.machines()).hasSize(3);
        }
    }

    private static String remedy(String action) {
        return "allow autoscaling:%s, as manifests/aws/iam-policy.json does for groups whose tag trainyard-cluster equals the tag of the role"
                .formatted(action);
    }

    private static String refusal(ThrowingCallable call) {
        var refusal = catchThrowableOfType(ProviderException.class, call);
        assertThat(refusal).as("refused").isNotNull();
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        return refusal.words();
    }

    /** Returns all actions that a pool's life, a size missing in the table, a score, and an import use. */
    private static Set<String> asked() throws Exception {
        try (var stage = new AwsStage()) {
            stage.stock(3);
            stage.provider().grow(stage.pool(), 0, 5);
            stage.settle();
            var state = stage.provider().tend(stage.pool(), stage.provider().read(stage.pool()));
            stage.provider().withdraw(stage.pool(), 5, 3);
            stage.clock.move(Duration.ofSeconds(5));
            stage.group.hook("trainyard");
            stage.provider().terminate(stage.pool(), state.machines());
            stage.provider().terminate(stage.pool(), state.machines());
            assertThat(stage.provider().size(stage.pool().provider(), "p9.48xlarge"))
                    .isEmpty();
            stage.group.tag("KubernetesCluster", "c").tag("Role", "worker");
            stage.aws.group("scored").source(AwsStage.mixed("g5.xlarge", "g6.xlarge", "g4dn.xlarge"));
            assertThat(stage.provider().spotScore(AwsStage.pool("scored", "scored", true)))
                    .isPresent();
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

    private static Set<String> unprefixed(Set<String> actions) {
        var names = new TreeSet<String>();
        actions.forEach(action -> names.add(action.substring(action.indexOf(':') + 1)));
        return names;
    }
}
