package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class VirtualMachineContractTest extends ProviderContract {

    @TempDir
    private Path directory;

    @Override
    protected CloudStage open() {
        return new VirtualMachineStage(directory);
    }
}
