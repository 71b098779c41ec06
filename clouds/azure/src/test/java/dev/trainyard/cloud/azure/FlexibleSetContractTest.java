package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderContract;

class FlexibleSetContractTest extends ProviderContract {

    @Override
    protected CloudStage open() {
        return ScaleSetStage.flexible();
    }
}
