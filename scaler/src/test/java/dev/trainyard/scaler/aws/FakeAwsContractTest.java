package dev.trainyard.scaler.aws;

import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderContract;
import java.io.IOException;

/** The contract on a double that does what AWS does and emulators do not: pending instances, stock-outs, refusals. */
class FakeAwsContractTest extends ProviderContract {

    @Override
    protected CloudStage open() throws IOException {
        return new AwsStage();
    }
}
