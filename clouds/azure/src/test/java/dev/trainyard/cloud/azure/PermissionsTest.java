package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.CloudRight.Answer;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PermissionsTest {

    @Test
    void looksForTheActionsOfTheShippedRoles() throws IOException {
        assertThat(Set.copyOf(Permissions.SCALE_SETS)).isEqualTo(Roles.actions("role-scale-sets.json"));
        assertThat(Set.copyOf(Permissions.VIRTUAL_MACHINES)).isEqualTo(Roles.actions("role-virtual-machines.json"));
    }

    @Test
    void findsRightsInWildcardsAndWhatIsTakenOutOfThem() throws Exception {
        try (var stage = new ScaleSetStage()) {
            stage.arm.grant(
                    List.of("microsoft.compute/*/READ", "Microsoft.Compute/virtualMachineScaleSets/*"),
                    List.of("Microsoft.Compute/virtualMachineScaleSets/write"));
            var rights = stage.provider().rights(stage.pool());

            assertThat(rights).hasSize(7);
            assertThat(actions(rights, Answer.REFUSED))
                    .containsExactly("Microsoft.Compute/virtualMachineScaleSets/write");
            assertThat(rights.get(5).words()).contains("resource group");
            assertThat(stage.arm.seen()).noneMatch(request -> request.request().changes());
        }
    }

    @Test
    void saysThatItIsNotToldWhoeverMayNotAsk() throws Exception {
        try (var stage = new ScaleSetStage()) {
            stage.arm.trouble(ScaleSetStage.ANY, AzureFault.FORBIDDEN);
            var rights = stage.provider().rights(stage.pool());

            assertThat(rights).hasSize(7).allMatch(right -> right.answer() == Answer.UNTOLD);
            assertThat(rights.get(0).words()).contains("Microsoft.Authorization/permissions/read");
        }
    }

    @Test
    void tellsNothingOfRightsWhenAzureDoesNotKnowWhoAsks() {
        try (var stage = new ScaleSetStage()) {
            stage.arm.trouble(ScaleSetStage.ANY, AzureFault.TOKEN_EXPIRED);
            assertThatThrownBy(() -> stage.provider().rights(stage.pool()))
                    .isInstanceOf(ProviderException.class)
                    .hasMessageContaining("ExpiredAuthenticationToken");
        }
    }

    @Test
    void refusesAListWhosePagesFormACycle() {
        try (var stage = new ScaleSetStage()) {
            var second = "%s/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Authorization/permissions?page=2"
                    .formatted(stage.arm.url(), AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP);
            stage.arm.rewrite(
                    page -> page.substring(0, page.lastIndexOf('}')) + ",\"nextLink\":\"%s\"}".formatted(second));
            var refusal = catchThrowableOfType(
                    ProviderException.class, () -> stage.provider().rights(stage.pool()));

            assertThat(refusal.kind()).isEqualTo(FailureKind.TRANSIENT);
            assertThat(refusal.words()).contains("was read already").contains(second);
            assertThat(stage.arm.seen()).hasSize(2);
        }
    }

    private static List<String> actions(List<CloudRight> rights, Answer answer) {
        return rights.stream()
                .filter(right -> right.answer() == answer)
                .map(CloudRight::action)
                .toList();
    }
}
