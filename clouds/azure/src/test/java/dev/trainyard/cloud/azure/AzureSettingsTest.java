package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.cloud.azure.AzureSettings.ManagedIdentity;
import dev.trainyard.cloud.azure.AzureSettings.ServicePrincipal;
import dev.trainyard.cloud.azure.AzureSettings.WorkloadIdentity;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AzureSettingsTest {

    private static final String TENANT = "0a1b2c3d-1111-2222-3333-444455556666";
    private static final String CLIENT = "0a1b2c3d-7777-8888-9999-444455556666";
    private static final String SECRET = "abc8Q~thisIsNoRealSecretOfAnybody0123456";

    @TempDir
    private Path directory;

    @Test
    void withoutAnythingTheMachineSpeaksForItself() throws Exception {
        var settings = AzureSettings.of(Map.of());
        assertThat(settings.identity()).isEqualTo(new ManagedIdentity(Optional.empty()));
        assertThat(settings.endpoint()).isEqualTo("https://management.azure.com");
    }

    @Test
    void aTokenOfTheClusterIsPreferredToASecret() throws Exception {
        var settings = AzureSettings.of(Map.of(
                "AZURE_TENANT_ID", TENANT,
                "AZURE_CLIENT_ID", CLIENT,
                "AZURE_CLIENT_SECRET", SECRET,
                "AZURE_FEDERATED_TOKEN_FILE", "/var/run/token"));
        assertThat(settings.identity()).isEqualTo(new WorkloadIdentity(TENANT, CLIENT, Path.of("/var/run/token")));
    }

    @Test
    void aSecretMayComeFromAFileAndLosesItsLineBreak() throws Exception {
        var file = Files.writeString(directory.resolve("secret"), SECRET + "\n");
        var settings = AzureSettings.of(Map.of(
                "AZURE_TENANT_ID", TENANT, "AZURE_CLIENT_ID", CLIENT, "AZURE_CLIENT_SECRET_FILE", file.toString()));
        assertThat(settings.identity()).isEqualTo(new ServicePrincipal(TENANT, CLIENT, SECRET));
        assertThat(settings.toString()).doesNotContain(SECRET);
    }

    @Test
    void whatIsStillBase64IsSaidToBe() {
        for (var wrong : Map.of("AZURE_CLIENT_SECRET", SECRET, "AZURE_CLIENT_ID", CLIENT, "AZURE_TENANT_ID", TENANT)
                .entrySet()) {
            var environment = new HashMap<>(
                    Map.of("AZURE_TENANT_ID", TENANT, "AZURE_CLIENT_ID", CLIENT, "AZURE_CLIENT_SECRET", SECRET));
            environment.put(
                    wrong.getKey(),
                    Base64.getEncoder().encodeToString(wrong.getValue().getBytes(StandardCharsets.UTF_8)));
            var refusal = catchThrowableOfType(ArmException.class, () -> AzureSettings.of(environment));
            assertThat(refusal).hasMessageContaining(wrong.getKey() + ": the value is still base64");
            assertThat(refusal.forPool(true).kind()).isEqualTo(FailureKind.AUTH);
        }
    }

    @Test
    void anOldSecretThatIsBase64OfRandomBytesIsTakenAsItIs() throws Exception {
        var old = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";
        var settings = AzureSettings.of(
                Map.of("AZURE_TENANT_ID", TENANT, "AZURE_CLIENT_ID", CLIENT, "AZURE_CLIENT_SECRET", old));
        assertThat(settings.identity()).isEqualTo(new ServicePrincipal(TENANT, CLIENT, old));
    }

    @Test
    void whatIsMissingOrUnknownIsNamed() {
        assertThat(catchThrowableOfType(
                        ArmException.class, () -> AzureSettings.of(Map.of("AZURE_CLIENT_SECRET", SECRET))))
                .hasMessageContaining("AZURE_TENANT_ID: missing; required because AZURE_CLIENT_SECRET is set");
        assertThat(catchThrowableOfType(
                        ArmException.class, () -> AzureSettings.of(Map.of("AZURE_ENVIRONMENT", "Mars"))))
                .hasMessageContaining(
                        "'Mars' is unknown; expected one of AzureChinaCloud, AzurePublicCloud, AzureUSGovernmentCloud");
    }

    @Test
    void aSecretAndATokenFileBothGetATokenOverVerifiedTls() throws Exception {
        try (var arm = AzureEmulator.start(Clock.systemUTC(), AzurePace.USUAL)) {
            arm.scaleSet(ScaleSetStage.SET);
            var ca = Files.writeString(directory.resolve("ca.crt"), arm.authorityPem());
            var token = Files.writeString(directory.resolve("token"), "a.b.c");
            var common = Map.of(
                    "TRAINYARD_AZURE_ENDPOINT", arm.url().toString(),
                    "TRAINYARD_AZURE_CA_FILE", ca.toString(),
                    "AZURE_AUTHORITY_HOST", arm.url().toString(),
                    "AZURE_TENANT_ID", TENANT,
                    "AZURE_CLIENT_ID", CLIENT);
            for (var own : Map.of("AZURE_CLIENT_SECRET", SECRET, "AZURE_FEDERATED_TOKEN_FILE", token.toString())
                    .entrySet()) {
                var environment = new HashMap<>(common);
                environment.put(own.getKey(), own.getValue());
                var provider = new AzureModule()
                        .open(environment, false, Clock.systemUTC())
                        .get("azureScaleSet");
                assertThat(provider.read(ScaleSetStage.pool("p", ScaleSetStage.SET, 10))
                                .target())
                        .isZero();
            }
            assertThat(arm.seen().stream().filter(call -> call.action().equals("token")))
                    .hasSize(2);
        }
    }

    @Test
    void whatReplacedASecretIsFoundWithoutARestart() throws Exception {
        var clock = new MovedClock();
        try (var arm = AzureEmulator.start(clock, AzurePace.USUAL)) {
            arm.scaleSet(ScaleSetStage.SET);
            var ca = Files.writeString(directory.resolve("ca.crt"), arm.authorityPem());
            var secret = Files.writeString(directory.resolve("secret"), "old~secret");
            var environment = Map.of(
                    "TRAINYARD_AZURE_ENDPOINT", arm.url().toString(),
                    "TRAINYARD_AZURE_CA_FILE", ca.toString(),
                    "AZURE_AUTHORITY_HOST", arm.url().toString(),
                    "AZURE_TENANT_ID", TENANT,
                    "AZURE_CLIENT_ID", CLIENT,
                    "AZURE_CLIENT_SECRET_FILE", secret.toString());
            var found = new ArrayList<String>();
            var subscriptions = new Subscriptions(
                    () -> {
                        found.add(((ServicePrincipal)
                                        AzureSettings.of(environment).identity())
                                .secret());
                        return AzureConnector.open(environment);
                    },
                    clock);
            var provider = new ScaleSetProvider(subscriptions, clock);
            var pool = ScaleSetStage.pool("p", ScaleSetStage.SET, 10);
            arm.refuseTokens(true);
            for (int i = 0; i < 3; i++) {
                var refusal = catchThrowableOfType(ProviderException.class, () -> provider.read(pool));
                assertThat(refusal.kind()).as(refusal.words()).isEqualTo(FailureKind.AUTH);
            }
            assertThat(found).as("once in a minute").containsExactly("old~secret", "old~secret");
            Files.writeString(secret, "new~secret");
            clock.move(Duration.ofMinutes(1));
            assertThat(catchThrowableOfType(ProviderException.class, () -> provider.read(pool)))
                    .isNotNull();
            arm.refuseTokens(false);
            assertThat(provider.read(pool).target()).isZero();
            assertThat(found).last().isEqualTo("new~secret");
        }
    }

    @Test
    void aCaThatDoesNotSignTheServerIsNotTrusted() throws Exception {
        try (var arm = AzureEmulator.start(new MovedClock(), AzurePace.USUAL)) {
            var environment = Map.of(
                    "TRAINYARD_AZURE_ENDPOINT", arm.url().toString(),
                    "AZURE_AUTHORITY_HOST", arm.url().toString(),
                    "AZURE_TENANT_ID", TENANT,
                    "AZURE_CLIENT_ID", CLIENT,
                    "AZURE_CLIENT_SECRET", SECRET);
            var provider = new AzureModule()
                    .open(environment, false, Clock.systemUTC())
                    .get("azureScaleSet");
            assertThat(catchThrowableOfType(
                            ProviderException.class,
                            () -> provider.read(ScaleSetStage.pool("p", ScaleSetStage.SET, 10))))
                    .isNotNull();
            assertThat(arm.seen()).isEmpty();
        }
    }
}
