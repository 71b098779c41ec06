package dev.trainyard.cloud.azure;

import com.azure.core.management.AzureEnvironment;
import dev.trainyard.core.TroubleshootingTopic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings for Azure from environment variables, named as for Azure's own tools. Instead of {@code <NAME>}, variable {@code <NAME>_FILE}
 * can name a file with the value, such as a file of a mounted Secret.
 *
 * @param endpoint the endpoint of Azure Resource Manager
 * @param authority the endpoint that issues tokens
 * @param caFile a file of certificates to trust instead of the JVM's; empty for Azure itself
 * @param identity the identity to use
 */
record AzureSettings(String endpoint, String authority, Optional<Path> caFile, Identity identity) {

    static final String ENDPOINT = "TRAINYARD_AZURE_ENDPOINT";
    static final String CA_FILE = "TRAINYARD_AZURE_CA_FILE";
    static final String CUSTOM_DATA_DIRECTORY = "TRAINYARD_AZURE_CUSTOM_DATA_DIR";

    /** Returns the directory of the files with machines' custom data. No file outside it is sent to Azure. */
    static Path customData(Map<String, String> environment) {
        return Path.of(environment.getOrDefault(CUSTOM_DATA_DIRECTORY, "/etc/trainyard/azure"));
    }

    static final String CLOUD = "AZURE_ENVIRONMENT";
    static final String AUTHORITY = "AZURE_AUTHORITY_HOST";
    static final String TENANT = "AZURE_TENANT_ID";
    static final String CLIENT = "AZURE_CLIENT_ID";
    static final String SECRET = "AZURE_CLIENT_SECRET";
    static final String TOKEN_FILE = "AZURE_FEDERATED_TOKEN_FILE";

    private static final Logger log = LoggerFactory.getLogger(AzureSettings.class);
    private static final String GUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

    private static final Map<String, AzureEnvironment> CLOUDS = clouds();

    /**
     * The identity to use, chosen by the environment variables. No second identity is tried, because a wrong identity could be used
     * unnoticed.
     */
    sealed interface Identity permits WorkloadIdentity, ServicePrincipal, ManagedIdentity {}

    /** A token of the pod's own ServiceAccount, provided by Azure's workload identity webhook. */
    record WorkloadIdentity(String tenant, String client, Path tokenFile) implements Identity {}

    record ServicePrincipal(String tenant, String client, String secret) implements Identity {

        /** Returns a text without the secret. */
        @Override
        public String toString() {
            return "ServicePrincipal[tenant=%s, client=%s]".formatted(tenant, client);
        }
    }

    /**
     * The machine's own identity.
     *
     * @param client the client id, needed if the machine has several identities
     */
    record ManagedIdentity(Optional<String> client) implements Identity {}

    /** @throws ArmException if a variable is invalid; the message names the variable, the problem and the remedy */
    static AzureSettings of(Map<String, String> environment) throws ArmException {
        var cloudName = value(environment, CLOUD).orElse("AzurePublicCloud");
        var cloud = CLOUDS.get(cloudName);
        if (cloud == null) {
            throw unusable("%s: '%s' is unknown; expected one of %s"
                    .formatted(CLOUD, cloudName, String.join(", ", CLOUDS.keySet())));
        }
        return new AzureSettings(
                withoutSlash(value(environment, ENDPOINT).orElse(cloud.getResourceManagerEndpoint())),
                withoutSlash(value(environment, AUTHORITY).orElse(cloud.getActiveDirectoryEndpoint())),
                value(environment, CA_FILE).map(Path::of),
                identity(environment));
    }

    private static Identity identity(Map<String, String> environment) throws ArmException {
        var tenant = identifier(environment, TENANT);
        var client = identifier(environment, CLIENT);
        var tokenFile = value(environment, TOKEN_FILE);
        if (tokenFile.isPresent()) {
            return new WorkloadIdentity(
                    needed(TENANT, tenant, TOKEN_FILE), needed(CLIENT, client, TOKEN_FILE), Path.of(tokenFile.get()));
        }
        var secret = value(environment, SECRET);
        if (secret.isPresent()) {
            return new ServicePrincipal(
                    needed(TENANT, tenant, SECRET), needed(CLIENT, client, SECRET), notEncoded(SECRET, secret.get()));
        }
        return new ManagedIdentity(client);
    }

    private static String needed(String name, Optional<String> value, String by) throws ArmException {
        return value.orElseThrow(() -> unusable("%s: missing; required because %s is set".formatted(name, by)));
    }

    private static Optional<String> identifier(Map<String, String> environment, String name) throws ArmException {
        var value = value(environment, name);
        if (value.isPresent()
                && decoded(value.get()).filter(text -> text.matches(GUID)).isPresent()) {
            throw stillEncoded(name);
        }
        return value;
    }

    private static String notEncoded(String name, String value) throws ArmException {
        // Azure's own secrets contain one of these three characters, which base64 never contains.
        boolean plain = value.contains("~") || value.contains(".") || value.contains("_");
        if (!plain && decoded(value).filter(text -> text.length() >= 30).isPresent()) {
            throw stillEncoded(name);
        }
        return value;
    }

    private static ArmException stillEncoded(String name) {
        return unusable(
                "%s: the value is still base64-encoded; in a Secret, write the plain value under stringData, or encode the value once for data%s"
                        .formatted(name, TroubleshootingTopic.KEY_STILL_ENCODED.see()));
    }

    /**
     * Returns the decoded value if it is base64 of printable text; otherwise empty. Some old secrets are base64 of random bytes and are
     * valid as they are.
     */
    private static Optional<String> decoded(String value) {
        try {
            var text = new String(Base64.getDecoder().decode(value), StandardCharsets.ISO_8859_1).strip();
            return Optional.of(text).filter(t -> !t.isEmpty() && t.chars().allMatch(c -> c > ' ' && c < 127));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> value(Map<String, String> environment, String name) throws ArmException {
        var given = Optional.ofNullable(environment.get(name));
        var file = environment.get(name + "_FILE");
        if (given.isEmpty() && file != null && !file.isBlank()) {
            try {
                given = Optional.of(Files.readString(Path.of(file)));
            } catch (IOException e) {
                throw unusable("%s_FILE: %s cannot be read: %s".formatted(name, file, e.getMessage()));
            }
        }
        given.filter(text -> !text.equals(text.strip()))
                .ifPresent(text -> log.warn("blanks and line breaks at the start and end of {} are removed", name));
        return given.map(String::strip).filter(text -> !text.isEmpty());
    }

    static ArmException unusable(String message) {
        return new ArmException(ArmError.of(401, "credentials", message));
    }

    private static String withoutSlash(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    private static Map<String, AzureEnvironment> clouds() {
        var clouds = new TreeMap<String, AzureEnvironment>();
        clouds.put("AzurePublicCloud", AzureEnvironment.AZURE);
        clouds.put("AzureUSGovernmentCloud", AzureEnvironment.AZURE_US_GOVERNMENT);
        clouds.put("AzureChinaCloud", AzureEnvironment.AZURE_CHINA);
        return clouds;
    }
}
