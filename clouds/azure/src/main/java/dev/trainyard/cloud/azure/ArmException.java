package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request to Azure Resource Manager that was refused or got no answer. */
final class ArmException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient ArmError error;

    private final @Nullable Duration retryAfter;

    ArmException(ArmError error) {
        this(error, null);
    }

    /** @param retryAfter the delay before the next request; null if Azure states none */
    ArmException(ArmError error, @Nullable Duration retryAfter) {
        super(error.words());
        this.error = error;
        this.retryAfter = retryAfter;
    }

    ArmError error() {
        return error;
    }

    /** @param spot whether the pool's machines are spot machines */
    ProviderException forPool(boolean spot) {
        return told(spot, "; assign one of the roles in manifests/azure to this identity, for the resource group");
    }

    /** Returns the exception for a request about machine sizes. */
    ProviderException forSizes() {
        return told(
                false,
                "; assign the role in manifests/azure/role-sizes.json to this identity, for the subscription, or set spec.promise.allocatable");
    }

    private ProviderException told(boolean spot, String withoutRight) {
        var kind = ErrorTable.kind(error, spot);
        var remedy = kind == FailureKind.AUTH && error.has("AuthorizationFailed") ? withoutRight : "";
        return new ProviderException(kind, error.words() + remedy, retryAfter);
    }
}
