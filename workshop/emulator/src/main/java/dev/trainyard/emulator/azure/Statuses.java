package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;

/** Entries of instance views. */
final class Statuses {

    private Statuses() {}

    static ObjectNode provisioning(ObjectNode status, String state, Optional<ObjectNode> failure) {
        if (failure.isEmpty()) {
            return status.put("code", "ProvisioningState/" + state.toLowerCase(Locale.ROOT))
                    .put("level", "Info");
        }
        return status.put(
                        "code",
                        "ProvisioningState/failed/" + failure.get().path("code").asText())
                .put("level", "Error")
                .put("message", failure.get().path("message").asText());
    }
}
