package dev.trainyard.cloud.azure;

import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;

/**
 * The files with the cloud-init data by which machines join the cluster.
 *
 * @param directory the directory of the files. Files outside the directory are refused. Otherwise a user who may edit pools could make the
 *     scaler send its other files to Azure
 */
record CustomData(Path directory) {

    /** Azure's own limit, before base64. */
    private static final int MOST = 64 * 1024;

    private static final String MEMBER = MachineTemplate.MEMBER + ".customDataFile";

    /**
     * Returns the content of a file in base64.
     *
     * @throws ProviderException if the file does not exist, or must not be sent
     */
    String of(AzureMachineTemplate stated) throws ProviderException {
        var file = stated.customDataFile();
        if (file == null) {
            throw unusable(
                    ": missing; expected a file with the cloud-init data by which a machine joins, because Azure does not return this data for existing machines");
        }
        try {
            var real = Path.of(file).toRealPath();
            if (!real.startsWith(directory.toRealPath())) {
                throw unusable(": %s is not in %s; expected a file in this directory, which %s names"
                        .formatted(file, directory, AzureSettings.CUSTOM_DATA_DIRECTORY));
            }
            return Base64.getEncoder().encodeToString(content(real));
        } catch (IOException | InvalidPathException e) {
            throw unusable(": %s cannot be read".formatted(e.getMessage()));
        }
    }

    private static byte[] content(Path file) throws IOException, ProviderException {
        if (!Files.isRegularFile(file)) {
            throw unusable(": %s is not a regular file".formatted(file));
        }
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(MOST + 1);
            if (bytes.length > MOST) {
                throw unusable(": %s is larger than the %d bytes that Azure accepts".formatted(file, MOST));
            }
            return bytes;
        }
    }

    private static ProviderException unusable(String why) {
        return new ProviderException(FailureKind.INVALID_CONFIGURATION, MEMBER + why);
    }
}
