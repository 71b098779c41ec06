package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.FailureKind;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The meaning of Azure's error codes for a pool. No other class interprets the codes.
 *
 * <p>Sources of codes and texts: Microsoft's pages "Troubleshoot allocation failures", "Resolve errors for SKU not available", "Resolve errors for
 * resource quotas", "Throttling Resource Manager requests" and "Compute API throttling"; and errors that other autoscalers saw in production
 * (the error lists of Azure's Karpenter provider and of the Cluster Autoscaler).
 */
final class ErrorTable {

    /** Kinds by error code in lower case, since Azure's own case varies. */
    private static final Map<String, FailureKind> KINDS = new TreeMap<>();

    static {
        // Azure has no machine. For a spot pool, the same codes mean that Azure has no spot machine.
        put(
                FailureKind.CAPACITY,
                "AllocationFailed",
                "ZonalAllocationFailed",
                "OverconstrainedAllocationRequest",
                "OverconstrainedZonalAllocationRequest",
                "SkuNotAvailable",
                "SpotVMEvicted",
                "VMEvicted");
        put(FailureKind.QUOTA, "QuotaExceeded", "ResourceQuotaExceeded", "PublicIPCountLimitReached");
        put(
                FailureKind.THROTTLED,
                "TooManyRequests",
                "SubscriptionRequestsThrottled",
                "ResourceCollectionRequestsThrottled",
                "ResourceRequestsThrottled");
        put(
                FailureKind.AUTH,
                "AuthorizationFailed",
                "LinkedAuthorizationFailed",
                "AuthenticationFailed",
                "AuthenticationFailedMissingToken",
                "InvalidAuthenticationToken",
                "InvalidAuthenticationTokenTenant",
                "ExpiredAuthenticationToken");
        put(
                FailureKind.INVALID_CONFIGURATION,
                "InsufficientSubnetSize",
                "SubnetIsFull",
                "SubnetWithExternalResourcesCannotBeUsedByOtherResources",
                "VMSizeNotSupported",
                "InvalidParameter",
                "InvalidTemplate",
                "InvalidResourceReference",
                "ImageNotFound",
                "PlatformImageNotFound",
                "ResourceNotFound",
                "ResourceGroupNotFound",
                "ParentResourceNotFound",
                "SubscriptionNotFound",
                "InvalidSubscriptionId",
                "MissingSubscriptionRegistration",
                "RequestDisallowedByPolicy",
                "ScopeLocked",
                "ReadOnlyDisabledSubscription",
                "BadRequest");
        put(
                FailureKind.CONFLICT,
                "Conflict",
                "PreconditionFailed",
                "OperationPreempted",
                "AnotherOperationInProgress",
                "RetryableError",
                "CanceledAndSupersededDueToAnotherOperation",
                "NicInUse",
                "DiskInUse");
        put(
                FailureKind.TRANSIENT,
                "InternalServerError",
                "InternalExecutionError",
                "InternalOperationError",
                "NetworkingInternalOperationError",
                "ServerTimeout",
                "GatewayTimeout",
                "ServiceUnavailable",
                "OSProvisioningTimedOut",
                "VMStartTimedOut",
                "VMExtensionProvisioningError");
    }

    private ErrorTable() {}

    /** @param spot whether the pool's machines are spot or low-priority machines */
    static FailureKind kind(ArmError error, boolean spot) {
        if (error.status() == 429 || error.all().anyMatch(e -> known(e).equals(Optional.of(FailureKind.THROTTLED)))) {
            return FailureKind.THROTTLED;
        }
        // A wrapped error is more specific than the outer one: "Conflict" around "OperationNotAllowed" is a quota.
        var kind = error.all()
                .map(ErrorTable::meaning)
                .flatMap(Optional::stream)
                .reduce((outer, inner) -> isCause(inner) || !isCause(outer) ? inner : outer)
                .orElseGet(() -> ofStatus(error.status()));
        return kind == FailureKind.CAPACITY && spot ? FailureKind.SPOT_CAPACITY : kind;
    }

    /** Whether a deletion was refused as a whole because one of the machines is gone. */
    static boolean namesGoneMachine(ArmError error) {
        return error.all()
                .anyMatch(e -> e.message().contains("is not an active Virtual Machine Scale Set VM instanceId"));
    }

    private static boolean isCause(FailureKind kind) {
        return kind.unfillable() || kind == FailureKind.AUTH;
    }

    /** Returns the kind of an error. {@code OperationNotAllowed} is a quota or another temporary refusal; only its text shows which. */
    private static Optional<FailureKind> meaning(ArmError error) {
        if (error.code().equalsIgnoreCase("OperationNotAllowed")) {
            var text = error.message().toLowerCase(Locale.ROOT);
            return Optional.of(
                    text.contains("quota") || text.contains("current limit")
                            ? FailureKind.QUOTA
                            : FailureKind.TRANSIENT);
        }
        return known(error);
    }

    private static Optional<FailureKind> known(ArmError error) {
        return Optional.ofNullable(KINDS.get(error.code().toLowerCase(Locale.ROOT)));
    }

    private static FailureKind ofStatus(int status) {
        return switch (status) {
            case 401, 403 -> FailureKind.AUTH;
            case 409, 412 -> FailureKind.CONFLICT;
            case 408 -> FailureKind.TRANSIENT;
            case 429 -> FailureKind.THROTTLED;
            default -> status >= 400 && status < 500 ? FailureKind.INVALID_CONFIGURATION : FailureKind.TRANSIENT;
        };
    }

    private static void put(FailureKind kind, String... codes) {
        for (var code : codes) {
            KINDS.put(code.toLowerCase(Locale.ROOT), kind);
        }
    }
}
