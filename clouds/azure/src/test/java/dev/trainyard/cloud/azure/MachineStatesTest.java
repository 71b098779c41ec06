package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetInner;
import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import com.azure.resourcemanager.compute.models.Sku;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.scaler.provider.Machine.State;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineStatesTest {

    @ParameterizedTest
    @CsvSource({
        "Succeeded, running, true, RUNNING",
        "Succeeded, starting, true, CREATING",
        "Succeeded, starting, false, CREATING",
        "Updating, starting, true, CREATING",
        "Updating, deallocating, true, FAILED",
        "Succeeded, deallocating, true, FAILED",
        "Succeeded, deallocated, true, FAILED",
        "Succeeded, deallocating, false, RUNNING",
        "Failed, running, true, RUNNING",
        "Failed, stopped, true, FAILED",
        "Deleting, running, true, DELETING"
    })
    void whatAMachineIsDependsOnItsLastChangeAndItsPower(String provisioning, String power, boolean spot, State state) {
        var statuses = List.of(new InstanceViewStatus().withCode("PowerState/" + power));
        assertThat(MachineStates.of(provisioning, statuses, spot)).isEqualTo(state);
    }

    @Test
    void aSetThatDoesNotSayWhetherItHasOnePlacementGroupIsTakenToHaveOne() throws Exception {
        var told = new VirtualMachineScaleSetInner().withSku(new Sku().withCapacity(1L));
        assertThat(ScaleSet.of(told).limit()).isEqualTo(AzureScaleSet.MOST_IN_ONE_GROUP);
        assertThat(ScaleSet.of(told.withSinglePlacementGroup(false)).limit()).isEqualTo(AzureScaleSet.MOST);
    }
}
