package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderContract;

/** The contract on our own emulator, which supports what moto does not: pending instances, stock-outs, refusals. */
class AwsContractTest extends ProviderContract {

    @Override
    protected CloudStage open() {
        return new AwsStage();
    }
}
