package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderContract;

class ScaleSetContractTest extends ProviderContract {

    @Override
    protected CloudStage open() {
        return new ScaleSetStage();
    }
}
