package dev.trainyard.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.emulator.LoopbackServer;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/** The choice of the identity if the scaler's ServiceAccount has a role and keys are left in the environment: the role is intended. */
class AwsIdentityTest {

    private static final String ANSWER = """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
            <AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
            <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>""";
    private static final String REFUSAL = """
            <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>
            <Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message></Error><RequestId>r</RequestId></ErrorResponse>""";

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Map<String, String> before = new HashMap<>();
    private int status = 200;
    private String answer = ANSWER;
    private final LoopbackServer sts = new LoopbackServer(exchange -> {
        try (exchange) {
            asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            var bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/xml");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    });

    @BeforeEach
    void set(@TempDir Path directory) throws Exception {
        var token = Files.writeString(directory.resolve("token"), "projected");
        Map.of(
                        "aws.roleArn", "arn:aws:iam::123456789012:role/trainyard",
                        "aws.roleSessionName", "trainyard",
                        "aws.webIdentityTokenFile", token.toString(),
                        "aws.accessKeyId", "AKIAIOSFODNN7EXAMPLE",
                        "aws.secretAccessKey", "left-over",
                        "aws.endpointUrlSts", sts.url().toString())
                .forEach((key, value) -> before.put(key, System.setProperty(key, value)));
    }

    @AfterEach
    void unset() {
        before.forEach((key, value) -> {
            if (value == null) {
                System.clearProperty(key);
            } else {
                System.setProperty(key, value);
            }
        });
        sts.close();
    }

    @Test
    void theRoleOfTheServiceAccountWinsOverKeys() throws Exception {
        var credentials = resolved();
        assertThat(credentials).isInstanceOf(AwsSessionCredentials.class);
        assertThat(credentials.accessKeyId()).isEqualTo("ASIAIOSFODNN7EXAMPLE");
        assertThat(String.join("", asked))
                .contains("Action=AssumeRoleWithWebIdentity")
                .contains("WebIdentityToken=projected");
    }

    @Test
    void aRoleThatIsRefusedIsNotMadeUpForByKeys() {
        status = 403;
        answer = REFUSAL;
        assertThatThrownBy(this::resolved)
                .isInstanceOfSatisfying(
                        AwsServiceException.class,
                        e -> assertThat(ApiErrors.of("autoscaling:DescribeAutoScalingGroups", e, Optional.empty())
                                        .words())
                                .contains("Not authorized to perform sts:AssumeRoleWithWebIdentity")
                                .contains("the trust policy of the role")
                                .doesNotContain("iam-policy.json"));
    }

    @Test
    void aRoleThatIsNotNamedIsAskedFor() {
        System.clearProperty("aws.roleArn");
        assertThatThrownBy(this::resolved)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("AWS_ROLE_ARN is not");
    }

    @Test
    void refusesAnEmptyFileOfAuthorities(@TempDir Path directory) throws Exception {
        var bundle = Files.createFile(directory.resolve("bundle.pem"));
        assertThatThrownBy(() -> AwsSettings.trust(bundle))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("AWS_CA_BUNDLE: " + bundle)
                .hasMessageContaining("the file has no certificate");
    }

    private AwsCredentials resolved() throws Exception {
        var authority = new ByteArrayInputStream(sts.authorityPem().getBytes(StandardCharsets.US_ASCII));
        return AwsSettings.identity("eu-west-1", Optional.of(AwsSettings.trust(authority)))
                .resolveCredentials();
    }
}
