package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class AzureIdTest {

    private static final String INSTANCE =
            "azure:///subscriptions/S/resourceGroups/MyGroup/providers/Microsoft.Compute/virtualMachineScaleSets/k8s-gencanada-10448498-vmss/virtualMachines/0";

    @Test
    void anInstanceNamesGroupSetAndNumber() {
        var id = AzureId.ofProviderId(INSTANCE).orElseThrow();
        assertThat(id.subscription()).isEqualTo("S");
        assertThat(id.resourceGroup()).isEqualTo("MyGroup");
        assertThat(id.parent()).contains("k8s-gencanada-10448498-vmss");
        assertThat(id.name()).isEqualTo("0");
        assertThat(id.isInstanceOf(AzureId.scaleSet("s", "mygroup", "K8S-gencanada-10448498-VMSS")))
                .isTrue();
        assertThat(id.isInstanceOf(AzureId.scaleSet("s", "mygroup", "k8s-gencanada-10448498")))
                .isFalse();
        assertThat(id.isInstanceOf(AzureId.scaleSet("s", "other", "k8s-gencanada-10448498-vmss")))
                .isFalse();
    }

    @Test
    void caseDoesNotTellIdsApart() {
        var lower = AzureId.ofProviderId(INSTANCE.toLowerCase(Locale.ROOT));
        assertThat(lower).isEqualTo(AzureId.ofProviderId(INSTANCE));
        assertThat(lower.orElseThrow())
                .hasSameHashCodeAs(AzureId.ofProviderId(INSTANCE).orElseThrow());
    }

    @Test
    void aMachineOfItsOwnHasNoSet() {
        var id = AzureId.ofProviderId(
                        "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/k8s-agentpool1-12345678-0")
                .orElseThrow();
        assertThat(id.parent()).isEmpty();
        assertThat(id.name()).isEqualTo("k8s-agentpool1-12345678-0");
        assertThat(id.isInstanceOf(AzureId.scaleSet("s", "rg", "x"))).isFalse();
        assertThat(id)
                .hasToString(
                        "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/k8s-agentpool1-12345678-0");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "azure://",
                "azure:////0a1b2c3d-1111-2222-3333-444455556666",
                "aws:///eu-west-1a/i-0123456789abcdef0",
                "kwok://pool/machine",
                "garbage",
                "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/disks/d",
                "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/v/virtualMachines/",
                "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/v/virtualMachines/1/x"
            })
    void whatNamesNoMachineIsNone(String providerId) {
        assertThat(AzureId.ofProviderId(providerId)).isEmpty();
    }
}
