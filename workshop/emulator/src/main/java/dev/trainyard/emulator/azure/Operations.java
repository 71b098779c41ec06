package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The asynchronous operations that carry out accepted changes, with their results. Not thread-safe: callers hold the emulator's lock. */
final class Operations implements ArmResources {

    private final Clock clock;
    private final Supplier<URI> url;
    private final Map<String, Operation> operations = new LinkedHashMap<>();

    private record Operation(Instant begun, Instant ends, Optional<ObjectNode> failure) {}

    Operations(Clock clock, Supplier<URI> url) {
        this.clock = clock;
        this.url = url;
    }

    /**
     * Starts an asynchronous operation, and adds the operation's links to an answer.
     *
     * @param takes the duration of the operation
     * @param failure the error of the operation; empty if it succeeds
     */
    ArmAnswer accepted(ArmAnswer answer, Duration takes, Optional<ObjectNode> failure) {
        var id = "op-" + (operations.size() + 1);
        operations.put(id, new Operation(clock.instant(), clock.instant().plus(takes), failure));
        var address =
                "%s/subscriptions/%s/providers/Microsoft.Compute/locations/%s/operations/%s?p=x&api-version=2025-04-01"
                        .formatted(url.get(), AzureEmulator.SUBSCRIPTION, AzureEmulator.LOCATION, id);
        return answer.with("Azure-AsyncOperation", address)
                .with("Location", address + "&monitor=true")
                .with("Retry-After", "10");
    }

    @Override
    public Optional<ArmAnswer> answer(ArmRequest request) {
        if (!request.path().contains("/operations/")) {
            return Optional.empty();
        }
        var operation = operations.get(request.last());
        return Optional.of(
                operation == null
                        ? ArmAnswer.error(404, "NotFound", "The entity was not found.")
                        : tell(request.last(), operation));
    }

    private ArmAnswer tell(String id, Operation operation) {
        boolean over = !clock.instant().isBefore(operation.ends());
        var body = ArmRequest.JSON.createObjectNode();
        body.put("startTime", operation.begun().toString()).put("name", id);
        body.put("status", !over ? "InProgress" : operation.failure().isEmpty() ? "Succeeded" : "Failed");
        if (over) {
            body.put("endTime", operation.ends().toString());
            operation.failure().ifPresent(failure -> body.set("error", failure));
        }
        return ArmAnswer.of(200, body);
    }

    @Override
    public void advance(Instant now) {
        // The state of an operation is calculated from the clock.
    }
}
