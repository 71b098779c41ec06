package dev.trainyard.scaler.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

class AwsIdentityTest {

    private static final String ANSWER = """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
            <AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
            <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>""";

    /** Also where keys are left in the environment: the role is the one that somebody meant. */
    @Test
    void theRoleOfTheServiceAccountWinsOverKeys(@TempDir Path directory) throws Exception {
        var sts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var asked = new StringBuffer();
        sts.createContext("/", exchange -> {
            try (exchange) {
                asked.append(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                var answer = ANSWER.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/xml");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        sts.start();
        var token = Files.writeString(directory.resolve("token"), "projected");
        var properties = Map.of(
                "aws.region", "eu-west-1",
                "aws.roleArn", "arn:aws:iam::123456789012:role/trainyard",
                "aws.roleSessionName", "trainyard",
                "aws.webIdentityTokenFile", token.toString(),
                "aws.accessKeyId", "AKIAIOSFODNN7EXAMPLE",
                "aws.secretAccessKey", "left-over",
                "aws.endpointUrlSts", "http://127.0.0.1:" + sts.getAddress().getPort());
        var before = new HashMap<String, String>();
        properties.forEach((key, value) -> before.put(key, System.setProperty(key, value)));
        try {
            var credentials = AwsSettings.identity().resolveCredentials();
            assertThat(credentials).isInstanceOf(AwsSessionCredentials.class);
            assertThat(credentials.accessKeyId()).isEqualTo("ASIAIOSFODNN7EXAMPLE");
            assertThat(asked).contains("Action=AssumeRoleWithWebIdentity").contains("WebIdentityToken=projected");
        } finally {
            before.forEach((key, value) -> {
                if (value == null) {
                    System.clearProperty(key);
                } else {
                    System.setProperty(key, value);
                }
            });
            sts.stop(0);
        }
    }
}
